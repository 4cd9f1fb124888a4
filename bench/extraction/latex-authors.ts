import { latexText, readArgument, replaceWhole } from './latex-text.js';
import { oneLine } from './truth.js';

/**
 * The names in the argument of `\author`; null where it holds anything that is not surely a name. Authors are divided by `\and`,
 * commas, "and" or a wide line break; the lines after a name are its affiliation.
 */
export function authorsOfLatex(source: string): readonly string[] | null {
  const bare = replaceWhole(source, /\\(?:thanks|footnote)/g, (_, after) => ({
    ...{ text: '', end: readArgument(source, after).end },
  }))
    .replace(/\$[^$]*\$/g, '')
    .replace(
      /\\includegraphics\s*(?:\[[^\]]*\])?\s*\{[^}]*\}(?:\s*\\hspace\{[^}]*\})?(?:\s*\\\\)?/g,
      '',
    );
  const groups = bare.split(/\\(?:And|AND|and)\b|\\\\\s*\[\s*(?:\d|\.\d)[^\]]*\]/);
  return surelyNames(groups.flatMap((group) => namesOf(latexText(group))));
}

/** The names in the argument of `\Plainauthor`, which is plain text with commas. */
export const plainAuthors = (source: string): readonly string[] | null =>
  surelyNames(dividedNames(oneLine(latexText(source))));

/** Names as a front matter in YAML gives them. */
export function surelyNames(names: readonly string[]): readonly string[] | null {
  const clean = names
    .map((name) => oneLine(name.replace(/[*†‡§¶]/g, '')))
    .filter((name) => name !== '');
  return clean.length > 0 && clean.every(isName) ? clean : null;
}

export const dividedNames = (line: string): readonly string[] =>
  line.split(/,|;|&|(?:^|\s)and(?=\s|$)/).map(oneLine);

/** The first line, and the next ones as long as they go on with names. */
function namesOf(text: string): readonly string[] {
  const lines = text
    .split('\n')
    .map(oneLine)
    .filter((line) => line !== '');
  const names: string[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1] ?? '';
    if (index > 0 && !line.startsWith('and ') && !/(?:,|\band)$/.test(before)) break;
    names.push(...dividedNames(line));
  }
  return names;
}

const particles = new Set('van von der den de di da del la le dos du ten ter af'.split(' '));
const institution =
  /universi|institut|department|school|college|center|centre|team|group|laborator|others|inc\b|ltd|research/i;

function isName(text: string): boolean {
  const words = text.split(' ');
  return (
    words.length >= 2 &&
    words.length <= 5 &&
    !institution.test(text) &&
    words.every((word) => particles.has(word) || /^\p{Lu}[\p{L}'’.-]*$/u.test(word))
  );
}
