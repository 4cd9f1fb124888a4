/** Bidirectional controls, which reorder the text after them, and other control characters. */
const deceptive = /[^\P{Cc}\t\n\r]|\p{Bidi_Control}/gu;

/**
 * Replaces characters that reorder or hide text by their code points.
 *
 * @param {string} text
 */
export const visibleText = (text) =>
  text.replace(
    deceptive,
    (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );

/**
 * An element with attributes and children. Strings become text nodes, never markup; null is left out.
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
