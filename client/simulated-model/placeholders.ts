import { repr } from '../../domain/python/text.js';
import { pythonFromJson, type Json } from '../../domain/python/value.js';

/** One line of an observation in JSON format. */
export type Row = Readonly<Record<string, Json>>;

export type Filling =
  | { readonly kind: 'filled'; readonly action: string }
  | { readonly kind: 'nothing-found'; readonly placeholder: string };

/**
 * Fills in what an action takes from the last observation, so that a scripted answer depends on what was really found:
 *
 *     {{0.page_number}}                     the cell as a Python literal; rows count from 0
 *     {{*.title}}                           a Python list of that cell of all rows that have it
 *     {{0.text_content ~ /(\d+) turns/}}    what the first group (or the whole) of a regular expression matched in the cell;
 *                                           the flags i, m, s and u may follow
 *     {{#0.text_content ~ /(\d+) turns/}}   the same as a number
 *     {{=0.pdf_id}}                         as bare text, escaped to stand inside a quoted string
 */
export function fillPlaceholders(action: string, rows: readonly Row[]): Filling {
  let filled = '';
  for (const piece of piecesOf(action)) {
    const text = piece.kind === 'text' ? piece.text : render(piece, rows);
    if (text === undefined) return { kind: 'nothing-found', placeholder: piece.text };
    filled += text;
  }
  return { kind: 'filled', action: filled };
}

/** What is wrong with the placeholders of an action, for whoever wrote it. */
export function placeholderProblems(action: string): readonly string[] {
  return piecesOf(action).flatMap((piece) => {
    if (piece.kind === 'text') {
      const stray = /\{\{.{0,40}/s.exec(piece.text);
      return stray ? [`not a placeholder: ${stray[0]}`] : [];
    }
    try {
      matcherOf(piece);
      return [];
    } catch {
      return [`not a regular expression: ${piece.text}`];
    }
  });
}

interface Placeholder {
  readonly kind: 'placeholder';
  /** As written. */
  readonly text: string;
  readonly form: string;
  readonly row: string;
  readonly column: string;
  readonly pattern: string | undefined;
  readonly flags: string | undefined;
}
type Piece = Placeholder | { readonly kind: 'text'; readonly text: string };

const grammar =
  /\{\{\s*(?<form>[#=]?)\s*(?<row>\d+|\*)\.(?<column>[\w()*]+)\s*(?:~\s*\/(?<pattern>.+?)\/(?<flags>[imsu]*)\s*)?\}\}/g;

function piecesOf(action: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of action.matchAll(grammar)) {
    const { form = '', row = '', column = '', pattern, flags } = groups;
    pieces.push({ kind: 'text', text: action.slice(end, index) });
    pieces.push({ kind: 'placeholder', text, form, row, column, pattern, flags });
    end = index + text.length;
  }
  return [...pieces, { kind: 'text', text: action.slice(end) }];
}

function render(placeholder: Placeholder, rows: readonly Row[]): string | undefined {
  const { form, row, column } = placeholder;
  const chosen = row === '*' ? rows : rows.slice(Number(row), Number(row) + 1);
  const values = chosen
    .map((cells) => matched(cells[column], placeholder))
    .map((value) => (form === '#' ? numberIn(value) : value))
    .filter((value) => value !== undefined);
  const [first] = values;
  if (first === undefined) return undefined;
  if (form === '=') return values.map(insideString).join(', ');
  return repr(pythonFromJson(row === '*' ? values : first));
}

function matched(cell: Json | undefined, placeholder: Placeholder): Json | undefined {
  const matcher = matcherOf(placeholder);
  if (cell === undefined || matcher === undefined) return cell;
  const match = matcher.exec(bareText(cell));
  return match?.[1] ?? match?.[0];
}

const matcherOf = ({ pattern, flags }: Placeholder): RegExp | undefined =>
  pattern === undefined ? undefined : new RegExp(pattern, flags);

/** Also of `1,200`. */
function numberIn(cell: Json | undefined): number | undefined {
  const text = cell === undefined ? '' : bareText(cell).replaceAll(',', '').trim();
  return text === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
}

const bareText = (cell: Json): string => (typeof cell === 'string' ? cell : JSON.stringify(cell));

const insideString = (cell: Json): string =>
  bareText(cell)
    .replace(/[\\'"]/g, '\\$&')
    .replaceAll('\n', '\\n');
