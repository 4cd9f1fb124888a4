/** Marks that reorder the text after them, and control characters that no text needs. */
const deceptive = /[^\P{Cc}\t\n\r]|\p{Bidi_Control}/gu;

/**
 * Text that reads as it is stored: what would reorder or hide a part of it is written out.
 *
 * @param {string} text
 */
export const visibleText = (text) =>
  text.replace(
    deceptive,
    (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );

/**
 * An element with its attributes and children. Texts become text and never markup, whoever wrote them; null is left out.
 *
 * @param {string} name
 * @param {Readonly<Record<string, string>>} [attributes]
 * @param {readonly (Node | string | null)[]} children
 * @returns {HTMLElement}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  for (const child of children) {
    if (child !== null) made.append(typeof child === 'string' ? visibleText(child) : child);
  }
  return made;
}
