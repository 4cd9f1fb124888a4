import { isMonospaced, mostCommon, type BodyPrint } from '../body-print.js';
import type { TextRun } from '../page-content.js';

/** Fonts of formulas, by their names. */
const isMathematical = (font: string): boolean => /^(cm(sy|mi|ex)|msbm|msam|.*math)/i.test(font);

/** Names are surer than weights: the stems of some regular fonts are as strong as those of bold ones. */
export const isBold = (run: TextRun, body: BodyPrint): boolean =>
  (boldName.test(run.font) && !boldName.test(body.font)) ||
  (run.bold && !body.bold && run.font !== body.font);
const boldName = /bold|black|heavy|demi|semib|-medi\b|[a-z]bx\d|cmbx|cmb\d|sf\w*bx|^sfrb|-b$|\.b$/i;

/** How strongly type stands out from the running text. Numbers are steps of `emphasisOf`. */
export const emphases = { none: 0, slight: 1, italic: 2, bold: 3, large: 4 } as const;

/** The emphasis of runs that belong together, by most of their letters. */
export function emphasisOf(runs: readonly TextRun[], body: BodyPrint): number {
  const letters = tellingRuns(runs);
  if (letters.length === 0) return emphases.none;
  const size = mostCommon(letters, ({ fontSize }) => fontSize) ?? 0;
  const share = (test: (run: TextRun) => boolean): number =>
    letters.filter(test).reduce((sum, { text }) => sum + text.length, 0) /
    letters.reduce((sum, { text }) => sum + text.length, 0);
  if (size > body.fontSize * 1.07) return emphases.large;
  if (size < body.fontSize * 0.85) return emphases.none;
  if (share((run) => isBold(run, body)) > 0.5) return emphases.bold;
  const text = letters.map((run) => run.text).join('');
  if (/\p{Lu}{4}/u.test(text) && !/\p{Ll}/u.test(text)) return emphases.italic;
  if (share(({ font }) => isMonospaced(font)) > 0.5) return emphases.none;
  if (share((run) => run.italic && !body.italic) > 0.7) return emphases.italic;
  return share((run) => run.font !== body.font) > 0.7 && body.font !== ''
    ? emphases.slight
    : emphases.none;
}

/** Without formulas and the names of programs, which have the same type in running text and in headings. */
function tellingRuns(runs: readonly TextRun[]): readonly TextRun[] {
  const words = runs.filter(
    ({ text, font }) => /[\p{L}\p{N}]/u.test(text) && !isMathematical(font),
  );
  const plain = words.filter(({ font }) => !isMonospaced(font));
  return plain.length > 0 ? plain : words;
}

/** A name for the type of runs, equal for headings of one level. */
export function styleOf(runs: readonly TextRun[]): string {
  const telling = tellingRuns(runs);
  const font = mostCommon(telling, (run) => run.font) ?? '';
  const size = mostCommon(telling, ({ fontSize }) => fontSize) ?? 0;
  return `${font} ${Math.round(size * 2) / 2}`;
}
