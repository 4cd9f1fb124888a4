/** Characters that take two places of a terminal: East Asian scripts and pictures. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const without = /\p{M}|\p{C}/u;

const placesOf = (character: string): number =>
  wide.test(character) ? 2 : without.test(character) ? 0 : 1;

/** Places of a terminal that a line takes. */
export const widthOf = (line: string): number =>
  Array.from(line).reduce((sum, character) => sum + placesOf(character), 0);

/** A text as lines that are no wider than `columns`, broken between words where that is possible, later ones indented. */
export function fitLines(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const word of text
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .split(' ')) {
    if (width > indent.length && width + 1 + widthOf(word) > columns) {
      lines.push(line);
      line = indent.slice(0, -1);
      width = line.length;
    }
    const added = line === '' ? word : ` ${word}`;
    for (const character of added) {
      const places = placesOf(character);
      if (width + places > columns) {
        lines.push(line);
        line = indent;
        width = line.length;
      }
      line += character;
      width += places;
    }
  }
  return [...lines, line];
}

const indent = '  ';
