/** Python's order of texts. JavaScript's own puts U+E000 to U+FFFF behind the characters that take two units. */
export function byCodePoint(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length;) {
    const [one = 0, two = 0] = [a.codePointAt(at), b.codePointAt(at)];
    if (one !== two) return one - two;
    at += one > 0xffff ? 2 : 1;
  }
  return a.length - b.length;
}
