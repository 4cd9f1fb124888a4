import {
  counted,
  grouped,
  joined,
  said,
  shortDuration,
  visibleText,
} from '../../../../../domain/formats/text.js';
import type { PageQuestion, PageTurn } from '../../../page/page-question.js';
import { costText } from '../texts.js';

/** A question in whose texts nothing reorders or hides a part. */
export const visibleTexts = (question: PageQuestion): PageQuestion =>
  JSON.parse(JSON.stringify(question), (_, value: unknown) =>
    typeof value === 'string' ? visibleText(value) : value,
  ) as PageQuestion;

/** The index of the first turn with different actions; null if there is none. */
export function firstDifference(
  before: readonly PageTurn[],
  after: readonly PageTurn[],
): number | null {
  const length = Math.max(before.length, after.length);
  for (let at = 0; at < length; at += 1) {
    if (actionText(before[at]) !== actionText(after[at])) return at;
  }
  return null;
}

/** The action of a turn, or its reply if that could not be read, as text. */
const actionText = (turn: PageTurn | undefined): string | null =>
  turn === undefined ? null : JSON.stringify(turn.action ?? { reply: turn.raw });

export function turnFigures(turn: PageTurn): string {
  const { modelMs, tokens, costUsd, cacheHit, retries, model, observation } = turn;
  const part = (count: number, name: string): string =>
    count > 0 ? ` (${grouped(count)} ${name})` : '';
  return joined(
    ' · ',
    model !== null && `model ${shortDuration(modelMs)}`,
    observation?.toolMs != null && `tool ${shortDuration(observation.toolMs)}`,
    tokens &&
      `${grouped(tokens.prompt)}${part(tokens.cached, 'cached')} + ${grouped(tokens.completion)}${part(tokens.reasoning, 'reasoning')} tokens`,
    model !== null && (cacheHit ? 'from the cache' : costText(costUsd)),
    retries > 0 && `${grouped(retries)} failed attempts before it`,
  );
}

export function turnFailures({ error, repeats, observation }: PageTurn): readonly string[] {
  const outcome = observation?.outcome;
  return said([
    error !== null && `The reply could not be read: ${error}`,
    repeats !== null && `The same action as in turn ${repeats}.`,
    outcome?.kind === 'failed' && `The tool failed: ${outcome.class}.`,
    outcome?.kind === 'empty' && 'Nothing was found.',
  ]);
}

export function verdictText({ verdict, database }: PageQuestion): string {
  if (verdict === null) return 'not scored yet';
  if (verdict.kind === 'unscored') {
    return `unscored, ${verdict.reason}${verdict.message ? `: ${verdict.message}` : ''}`;
  }
  const { score, rawScore, rationale } = verdict;
  const shown = scoreText(score, rawScore, database?.category);
  return `${shown}${rationale ? `: ${rationale}` : ''}`;
}

function scoreText(
  score: number,
  rawScore: number | undefined,
  category: NonNullable<PageQuestion['database']>['category'] | undefined,
): string {
  if (category === 'conclusive' && (score === 0 || score === 1)) {
    return score === 1 ? 'match' : 'no match';
  }
  if (category === 'interpretive' && rawScore !== undefined) return `${rawScore} of 5`;
  return `${score.toFixed(3)}${rawScore === undefined ? '' : ` (graded ${rawScore})`}`;
}

export function outcomeText(end: PageQuestion['end']): string {
  if (end === null) return 'not ended';
  const { outcome } = end;
  switch (outcome.kind) {
    case 'infra-error':
      return `infra-error, ${outcome.failure}: ${outcome.message}`;
    case 'unparseable':
      return `unparseable: ${outcome.lastError}`;
    case 'context-overflow':
      return `context-overflow: ${outcome.message}`;
    case 'turn-limit':
      return `turn-limit, after ${outcome.maxTurns} turns`;
    case 'answered':
    case 'abstained':
    case 'refused':
    case 'budget-stop':
    case 'deadline':
    case 'cancelled':
      return outcome.kind;
  }
}

export const endFigures = ({ usage, costUsd, ms }: NonNullable<PageQuestion['end']>): string =>
  [
    shortDuration(ms),
    `${counted(usage.calls, 'model call')}${usage.retries > 0 ? `, ${grouped(usage.retries)} repeated` : ''}`,
    `${grouped(usage.promptTokens)} + ${grouped(usage.completionTokens)} tokens`,
    costText(costUsd),
  ].join(' · ');

/** Tables whose rows have boxes on the page of a paper. */
const boxed = new Set<unknown>(['tables', 'images', 'equations', 'reference']);

/** Where the page of a paper shows the row that a search has found: its box, else its page. @param of - a cell of the row */
export function placeOf(of: (column: string) => unknown): string {
  const key = of('primary_key');
  if (boxed.has(of('table_name')) && typeof key === 'string') return `#${key}`;
  return Number(of('page_number')) > 0 ? `#page-${String(of('page_number'))}` : '';
}

/** The rows of a result. */
export interface TableRows {
  readonly columns: readonly string[];
  /** What is neither a text, a number nor null is shown as JSON. */
  readonly rows: readonly (readonly unknown[])[];
  /** What the result says of rows that it leaves out; empty where it has all. */
  readonly note: string;
}

/** The rows of an observation, from its text. Null if there are none, or the text cannot be parsed. */
export function observationRows(text: string): TableRows | null {
  if (text.startsWith('{')) return jsonRows(text);
  if (text.startsWith('|') || text.startsWith('+-')) return pipedRows(text);
  return text.startsWith('<table') ? htmlRows(text) : null;
}

function jsonRows(text: string): TableRows | null {
  const lines = text.split('\n');
  const shown = linesThatBegin(lines, /^\{/);
  const objects = shown.map(objectIn).filter((object) => object !== null);
  if (objects.length < shown.length) return null;
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  return {
    columns,
    rows: objects.map((object) => columns.map((column) => object[column])),
    note: noteAfter(lines.slice(shown.length)),
  };
}

function objectIn(line: string): Readonly<Record<string, unknown>> | null {
  try {
    // JSON that begins with a brace is an object.
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}

function pipedRows(text: string): TableRows | null {
  const lines = text.split('\n');
  const drawn = linesThatBegin(lines, /^[|+]/);
  const cells = drawn
    .filter((line) => line.startsWith('|') && !/^\|( ?-+ ?\|)+$/.test(line))
    .map(cellsOf);
  return tableOf(cells, lines.slice(drawn.length));
}

const cellsOf = (line: string): readonly string[] =>
  line
    .slice(1, line.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|').replaceAll('<br>', '\n'));

function htmlRows(text: string): TableRows | null {
  const end = text.lastIndexOf('</table>');
  const cells = [...text.slice(0, end).matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<(th|td)>(.*?)<\/\1>/gs)].map(([, , cell = '']) => plain(cell)),
  );
  return tableOf(cells, text.slice(end + '</table>'.length).split('\n'));
}

/** @param cell - in which only three characters are escaped */
const plain = (cell: string): string =>
  cell.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Null unless every row has as many cells as the first one. */
function tableOf(
  [columns, ...rows]: readonly (readonly string[])[],
  after: readonly string[],
): TableRows | null {
  if (columns === undefined || rows.some((row) => row.length !== columns.length)) return null;
  return { columns, rows, note: noteAfter(after) };
}

/** Those before the first line that begins otherwise. */
function linesThatBegin(lines: readonly string[], so: RegExp): readonly string[] {
  const end = lines.findIndex((line) => !so.test(line));
  return end === -1 ? lines : lines.slice(0, end);
}

const noteAfter = (lines: readonly string[]): string => lines.join('\n').trim();
