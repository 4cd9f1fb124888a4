/** Marks that reorder the text after them, and control characters that no text needs. */
const deceptive = /[^\P{Cc}\t\n\r]|\p{Bidi_Control}/gu;

/** Text that reads as it is stored: what would reorder or hide a part of it is written out, e.g. `[U+202E]`. */
export const visibleText = (text: string): string =>
  text.replace(
    deceptive,
    (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
