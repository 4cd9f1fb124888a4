/** The number of a section, e.g. `2.1`, `A.1`, `IV.` or `Appendix B:`. */
export interface SectionNumber {
  /** As printed, without the mark after it. */
  readonly printed: string;
  readonly kind: 'decimal' | 'roman' | 'letter';
  /** `2.1` is [2, 1] and `B.1` is [2, 1], too. */
  readonly path: readonly number[];
  /** Whether a word such as `Appendix` says that it is one. */
  readonly named: boolean;
}

export interface NumberedTitle {
  /** Null where the text has no number. */
  readonly number: SectionNumber | null;
  /** The text after the number. */
  readonly title: string;
}

const word = String.raw`(?:(Section|Chapter|Part|Appendix|Supplement|§)\s*)?`;
const mark = String.raw`(?:[.:)—–-]?\s+|[.:]?$)`;
const decimal = new RegExp(`^${word}(\\d{1,2}(?:\\.\\d{1,2}){0,4})${mark}`, 'iu');
const roman = new RegExp(`^${word}((?:X{0,3}(?:IX|IV|V?I{1,3}|V)|X{1,3}))${mark}`, 'u');
const letter = new RegExp(`^${word}([A-Z](?:\\.\\d{1,2}){0,4})${mark}`, 'u');

/**
 * All ways to read the beginning of a heading as its number: `I Data` may be the first section or the ninth appendix. Empty
 * for texts without a number.
 */
export function readNumbers(
  text: string,
): readonly (NumberedTitle & { readonly number: SectionNumber })[] {
  return [
    readNumber(text, 'decimal', decimal, (part) => Number(part)),
    readNumber(text, 'roman', roman, romanValue),
    readNumber(text, 'letter', letter, (part) =>
      /\d/.test(part) ? Number(part) : part.charCodeAt(0) - 'A'.charCodeAt(0) + 1,
    ),
  ].flatMap((reading) => reading ?? []);
}

function readNumber(
  text: string,
  kind: SectionNumber['kind'],
  pattern: RegExp,
  valueOf: (part: string) => number,
) {
  const [whole, name, digits] = pattern.exec(text) ?? [];
  if (whole === undefined || digits === undefined) return undefined;
  const title = text.slice(whole.length).trim();
  // `Appendix A` alone is a heading, `2` alone is none.
  if (name === undefined && !/\p{L}/u.test(title)) return undefined;
  const path = digits.split('.').map(valueOf);
  const printed = title === '' || name === undefined ? digits : `${name} ${digits}`;
  return {
    number: { kind, path, printed, named: name !== undefined },
    title: title || (name ?? ''),
  };
}

const romanValues: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10 };

function romanValue(text: string): number {
  const values = Array.from(text, (character) => romanValues[character] ?? 0);
  return values.reduce(
    (sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value),
    0,
  );
}

const wellKnown =
  /^(abstract|summary|contents|table of contents|introduction|related works?|background|preliminaries|notation|motivation|materials and methods|methods?|methodology|data|experiments?|experimental (setup|results)|implementation|results|results and discussion|evaluation|analysis|discussion|limitations?|future work|ethics statement|broader impact|(summary and )?conclusions?|(concluding|final) remarks|(discussion|summary) and conclusions?|acknowledge?ments?|funding|(author )?contributions|data availability( statement)?|references|(annotated )?bibliography|literature cited|literature|appendix|appendices|index|supplementary materials?|computational details|session info|session information)\W*$/iu;

/** Whether papers use the text as a heading, whatever its print. */
export const isWellKnown = (title: string): boolean => wellKnown.test(title);
