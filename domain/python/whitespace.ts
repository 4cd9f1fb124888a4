/** Whether Python's `strip` and `\s` count a character as blank; JavaScript's own set differs by six characters. */
export const isBlank = (char: string): boolean =>
  '\x1c\x1d\x1e\x1f\x85'.includes(char) || (char !== '\ufeff' && /\s/.test(char));

/** Python's `text.strip()`. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charAt(start))) start++;
  while (end > start && isBlank(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
