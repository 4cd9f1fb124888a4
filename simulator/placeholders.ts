import type { Json } from '../domain/formats/python/value.js';

/** One line of an observation in JSON format. */
export type Row = Readonly<Record<string, Json>>;

/** The observations in the model's window. */
export interface Evidence {
  /** The rows of the last observation if it is in JSON format, else none. */
  readonly rows: readonly Row[];
  /** All observations, the latest first: the cells of its rows, one a line, or else its text. */
  readonly texts: readonly string[];
}

export type Filling<T extends Json = Json> =
  | { readonly kind: 'filled'; readonly value: T }
  | { readonly kind: 'nothing-found'; readonly placeholder: string };

/**
 * Fills a script's placeholders from the evidence, so that its answers depend on what the actions found:
 *
 *     {{0.page_number}}      a cell of the last observation's rows; rows count from 0
 *     {{*.title}}            a list of this cell of all rows that have it
 *     {{/(\d+) turns/}}      the match of a regular expression (its first group if it has one) in the latest
 *                            observation that matches; the flags i, m, s and u may follow
 *     {{#/(\d+) turns/}}     the same as a number
 *
 * A text that consists of one placeholder becomes the value itself. In a longer text the value is inserted as text.
 */
export function fillPlaceholders(template: Json, evidence: Evidence): Filling {
  return (
    nothingFound(template, evidence) ?? {
      kind: 'filled',
      value: mapTexts(template, (text) => {
        const [only, ...others] = piecesOf(text).filter((piece) => piece !== '');
        return typeof only === 'object' && others.length === 0
          ? (valueOf(only, evidence) ?? null)
          : filledText(text, evidence);
      }),
    }
  );
}

/** Like `fillPlaceholders`, but the result is always a text. */
export const fillText = (template: string, evidence: Evidence): Filling<string> =>
  nothingFound(template, evidence) ?? { kind: 'filled', value: filledText(template, evidence) };

/** The errors in the placeholders of a template, one message each. */
export function placeholderProblems(template: Json): readonly string[] {
  return textsIn(template)
    .flatMap(piecesOf)
    .flatMap((piece) => {
      if (typeof piece === 'string') {
        const invalid = /\{\{.{0,40}/s.exec(piece);
        return invalid ? [`not a placeholder: ${invalid[0]}`] : [];
      }
      try {
        if (piece.kind === 'match') new RegExp(piece.pattern, piece.flags);
        return [];
      } catch {
        return [`not a regular expression: ${piece.text}`];
      }
    });
}

type Placeholder = { /** As written. */ readonly text: string } & (
  | { readonly kind: 'cell'; readonly row: string; readonly column: string }
  | {
      readonly kind: 'match';
      readonly pattern: string;
      readonly flags: string;
      readonly asNumber: boolean;
    }
);

const grammar =
  /\{\{\s*(?:(?<row>\d+|\*)\.(?<column>[\w()*]+)|(?<number>#?)\s*\/(?<pattern>.+?)\/(?<flags>[imsu]*))\s*\}\}/g;

function piecesOf(template: string): readonly (string | Placeholder)[] {
  const pieces: (string | Placeholder)[] = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of template.matchAll(grammar)) {
    const { row = '', column, number, pattern = '', flags = '' } = groups;
    pieces.push(
      template.slice(end, index),
      column === undefined
        ? { kind: 'match', text, pattern, flags, asNumber: number === '#' }
        : { kind: 'cell', text, row, column },
    );
    end = index + text.length;
  }
  return [...pieces, template.slice(end)];
}

function nothingFound(
  template: Json,
  evidence: Evidence,
): Extract<Filling, { readonly kind: 'nothing-found' }> | null {
  const lacking = textsIn(template)
    .flatMap(piecesOf)
    .find((piece) => typeof piece !== 'string' && valueOf(piece, evidence) === undefined);
  return typeof lacking === 'object' ? { kind: 'nothing-found', placeholder: lacking.text } : null;
}

const filledText = (template: string, evidence: Evidence): string =>
  piecesOf(template)
    .map((piece) => (typeof piece === 'string' ? piece : bareText(valueOf(piece, evidence) ?? '')))
    .join('');

function valueOf(placeholder: Placeholder, { rows, texts }: Evidence): Json | undefined {
  if (placeholder.kind === 'match') return matchIn(texts, placeholder);
  const { row, column } = placeholder;
  if (row !== '*') return rows[Number(row)]?.[column];
  const cells = rows.map((each) => each[column]).filter((cell) => cell !== undefined);
  return cells.length === 0 ? undefined : cells;
}

function matchIn(
  texts: readonly string[],
  { pattern, flags, asNumber }: Extract<Placeholder, { readonly kind: 'match' }>,
): Json | undefined {
  const matcher = new RegExp(pattern, flags);
  const match = texts.map((text) => matcher.exec(text)).find((found) => found !== null);
  const found = match?.[1] ?? match?.[0];
  return found !== undefined && asNumber ? numberIn(found) : found;
}

/** Accepts thousands separators, as in `1,200`. */
function numberIn(text: string): number | undefined {
  const digits = text.replaceAll(',', '').trim();
  return digits === '' || Number.isNaN(Number(digits)) ? undefined : Number(digits);
}

export const bareText = (cell: Json): string =>
  typeof cell === 'string' ? cell : JSON.stringify(cell);

function textsIn(template: Json): readonly string[] {
  const texts: string[] = [];
  mapTexts(template, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** Applies `map` to every text of a value except keys, with the reviver of `JSON.parse`. */
const mapTexts = (template: Json, map: (text: string) => Json): Json =>
  JSON.parse(JSON.stringify(template), (_key, value: Json) =>
    typeof value === 'string' ? map(value) : value,
  ) as Json; // what the reviver returns
