// cspell:ignore continuación fortsetzung
import type { TextLine } from './page-content.js';

/** What a line says that begins as a caption does, e.g. `Table 2: Accuracy by model.` */
export interface CaptionLabel {
  readonly kind: 'figure' | 'table';
  /** `TABLE`, `Table` or `table`. */
  readonly print: 'capitals' | 'usual' | 'small';
  /** As printed, e.g. `Fig. 2`. */
  readonly label: string;
  readonly number: string;
  readonly separator: 'colon' | 'stop' | 'none' | 'continued';
  /** Whether the label has another font than the text after it. */
  readonly styledApart: boolean;
  /** Whether text follows the label in its line. */
  readonly hasText: boolean;
  /** Whether that text begins like a sentence. */
  readonly startsCapital: boolean;
}

/**
 * In English, German, French, Spanish, Portuguese, Italian, Chinese and Japanese. Small capitals are printed in two sizes, which may leave a space
 * after the first letter.
 */
const label =
  /^((?:(?:supplementary|supplemental|extended data|appendix) )?(F ?IGURE|FIGURA|FIG|ABBILDUNG|ABB|T ?ABLE(?:AU)?|TABELLE|TABELLA|TABELA|TABLA|TAB|[图圖図]|表)S?\.? ?([A-Z]{0,2}\.?\d+(?:[.-]\d+)*[a-z]?|[IVXL]+(?![\p{L}])|[A-Z](?=[:.|])))/iu;
const continued =
  "(?:continued|cont['’]?d?\\b|fortsetzung|suite\\b|continuación|segue\\b|[续續]|続き)";
const separators = [
  ['continued', new RegExp(`^[^\\p{L}]*${continued}`, 'iu')],
  ['colon', /^\s*[:：|—–]|^\s+-\s/],
  ['stop', /^\.(?=\s|$)/],
  ['none', /^(?=\s|$)/],
] as const;

/** Whether a caption says that its table or figure began on a page before. */
export const isContinued = (caption: string): boolean =>
  new RegExp(`(?<!\\p{L})${continued}(?!\\p{L})`, 'iu').test(caption.slice(0, 60));

/** The label that a caption begins with; null where it has none. */
export function labelOf(
  text: string,
): (Pick<CaptionLabel, 'kind' | 'label' | 'number'> & { readonly word: string }) | null {
  const [, printed, word = '', number = ''] = label.exec(text) ?? [];
  if (printed === undefined) return null;
  return { kind: /^[fa图圖図]/i.test(word) ? 'figure' : 'table', label: printed, word, number };
}

/** The label that a line begins with; null where it begins otherwise. */
export function readLabel(line: TextLine): CaptionLabel | null {
  const printedLabel = labelOf(line.text);
  if (printedLabel === null) return null;
  const { kind, label: printed, word, number } = printedLabel;
  const rest = line.text.slice(printed.length);
  const found = separators.find(([, pattern]) => pattern.test(rest));
  // A line of a list of figures ends with dots and a page number; a tick label names one thing after the other.
  if (found === undefined || /(?:\. ?){4,}\d*$/.test(rest) || label.test(rest.trim())) return null;
  const [separator, mark] = found;
  const text = rest.replace(mark, '').trim();
  return {
    kind,
    print: /\p{Ll}{2}/u.test(word) ? (/^\p{Lu}/u.test(printed) ? 'usual' : 'small') : 'capitals',
    label: printed,
    number,
    separator,
    styledApart: isStyledApart(line, printed.length),
    hasText: text !== '',
    startsCapital: /^[^\p{L}\p{N}]*[\p{Lu}\p{Lo}\p{N}]/u.test(text),
  };
}

/** Whether the runs of the first `length` characters have another font than the run after them. */
function isStyledApart({ runs }: TextLine, length: number): boolean {
  let at = 0;
  for (const run of runs) {
    if (run.spaced) at += 1;
    if (at > length) return run.font !== runs[0]?.font || run.bold !== runs[0].bold;
    at += run.text.length;
  }
  return false;
}
