/** One line of at most `length` characters, for histories and screens. Cuts between code points. */
export function preview(text: string, length: number): string {
  const line = beginning(text, 2 * length);
  const characters = Array.from(line);
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}

/** On one line: all of the text, or its first words with more than `units` UTF-16 units, of which no character has over two. */
function beginning(text: string, units: number): string {
  const words: string[] = [];
  let left = units;
  for (const [word] of text.matchAll(/\S+/g)) {
    words.push(word);
    left -= word.length;
    if (left < 0) break;
  }
  return words.join(' ');
}
