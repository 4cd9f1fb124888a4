import type { FinishedTurn, Step, ReplyRecord } from '../turn-record.js';
import { databaseModes, type DatabaseMode, type TracedQuery } from './answer-trace.js';
import { queriesIn } from './sql-statements.js';

/** The most queries of a reply that run. The others are recorded as refused. */
export const mostQueries = 20;

/** Rows beyond these are not counted. */
export const mostCountedRows = 10_000;

/** How much of a result the model is shown. */
export interface ShownLimits {
  readonly rows: number;
  /** Of cl100k_base. */
  readonly tokens: number;
}

/** @defaultValue as the specification has them: 50 rows and 4,000 tokens */
export const defaultShownLimits: ShownLimits = { rows: 50, tokens: 4000 };

const task =
  'You answer a question about one relational database with a long text, a paragraph or more, that rests on what the database holds.';

const answerRules = [
  'Say what the data shows and how it leads to your conclusion, with the figures that matter, and cover every aspect of the question.',
  'If the data cannot decide a point, say so. Invent nothing.',
  'Write prose for a reader who sees neither SQL nor tables.',
  'Put the answer, and nothing else, between <answer> and </answer>.',
];

const readOnly = `Write SQL in the dialect that the schema names. Each query must read only, run by itself and end in a semicolon, and stands in a code fence of its own that is marked sql. At most ${mostQueries} queries are run.`;

/** What the model is asked to do in each stage. Schema and rows stand before it, question and results behind (`messages.ts`). */
export function instructions(mode: DatabaseMode, stage: DatabaseStage): string {
  return [task, ...steps(mode, stage)].join('\n');
}

/** The stage that a prompt was made for; null for other prompts. */
export const stageOfPrompt = (prompt: string): DatabaseStage | null =>
  databaseModes
    .flatMap((mode) => stagesOf[mode].map((stage) => ({ mode, stage })))
    .find(({ mode, stage }) => prompt.includes(`\n\n${instructions(mode, stage)}\n\n`))?.stage ??
  null;

const stagesOf: Readonly<Record<DatabaseMode, readonly DatabaseStage[]>> = {
  'no-interaction': ['answer'],
  sequential: ['plan', 'queries', 'repairs', 'answer'],
  iterative: ['need', 'query', 'answer'],
};

/** What the model is asked to do in each stage, by the names of the stages. */
export const textsOfStages = (mode: DatabaseMode): Readonly<Record<string, string>> =>
  Object.fromEntries(stagesOf[mode].map((stage) => [`.${stage}`, instructions(mode, stage)]));

function steps(mode: DatabaseMode, stage: DatabaseStage): readonly string[] {
  switch (stage) {
    case 'plan':
      return [
        'This step plans. A later step writes SQL from your plan alone, and the last one writes the answer from the results.',
        'List in words each piece of information that the answer needs, and for each the tables and columns that hold it, with the filters, groups and comparisons that matter. Be precise and complete, and leave out what the question does not need.',
        'Write neither SQL nor the answer.',
      ];
    case 'queries':
      return ['This step writes the queries that retrieve what the plan lists.', readOnly];
    case 'repairs':
      return [
        'This step repairs the queries that failed. Write a corrected query for each of them, in their order.',
        readOnly,
      ];
    case 'need':
      return [
        'You question the database in rounds, one query a round. This step decides what comes next.',
        'If anything is still missing for the answer, name the single most crucial piece of information in words, with the tables and columns that hold it, in this form:',
        `${needMark} <what is to be retrieved>`,
        `If you have enough for the answer, write one line with nothing but the word ${enoughMark}.`,
        'Write neither SQL nor the answer.',
      ];
    case 'query':
      return ['This step writes the one query for the latest need.', readOnly];
    case 'answer':
      return mode === 'no-interaction'
        ? [
            'All rows of all tables are shown. Think step by step first: which rows matter, and what follows from them. Then answer.',
            ...answerRules,
          ]
        : ['This step writes the answer from the queries and their results.', ...answerRules];
  }
}

/** What the model writes in a turn of a database method. */
export type DatabaseStage = 'plan' | 'queries' | 'repairs' | 'need' | 'query' | 'answer';

/** The settings that decide which turn comes next. */
interface StageSettings {
  readonly maxTurns: number;
  /** Rounds in which failed queries of mode `sequential` are repaired. @defaultValue 0 */
  readonly sqlRepairs?: number;
}

/**
 * The stage of a turn, from the turns before it. A turn whose reply could not be read is asked again. In mode `iterative` a
 * round takes two turns, and the last turn is kept for the answer.
 */
export function stageOf(
  mode: DatabaseMode,
  turn: number,
  turns: readonly FinishedTurn[],
  { maxTurns, sqlRepairs = 0 }: StageSettings,
): DatabaseStage {
  if (mode === 'no-interaction' || turn >= maxTurns) return 'answer';
  const steps = stepsOf(turns);
  const last = steps.at(-1);
  if (mode === 'iterative') {
    if (last?.kind === 'enough') return 'answer';
    if (last?.kind === 'plan') return 'query';
    return turn + 2 <= maxTurns ? 'need' : 'answer';
  }
  if (last === undefined) return 'plan';
  const asked = steps.filter(({ kind }) => kind === 'queries').length;
  if (asked === 0) return 'queries';
  return asked <= sqlRepairs && failedQueries(turns).length > 0 ? 'repairs' : 'answer';
}

/** The steps of finished turns, in their order. */
export const stepsOf = (turns: readonly FinishedTurn[]): readonly Step[] =>
  turns.flatMap(({ reply: { reading } }) => (reading.kind === 'step' ? [reading.step] : []));

/** The queries of finished turns with their results, in the order in which they ran. */
export const queriesOf = (turns: readonly FinishedTurn[]): readonly TracedQuery[] =>
  turns.flatMap(({ queries }) => queries ?? []);

/** A query whose latest version failed. */
interface FailedQuery {
  /** Of the first version, among all queries of the question. */
  readonly index: number;
  readonly query: TracedQuery;
}

export function failedQueries(turns: readonly FinishedTurn[]): readonly FailedQuery[] {
  const latest = new Map<number, TracedQuery>();
  for (const [index, query] of queriesOf(turns).entries()) {
    latest.set(query.repairOf ?? index, query);
  }
  return [...latest]
    .map(([index, query]) => ({ index, query }))
    .filter(({ query: { status } }) => status === 'error' || status === 'timeout');
}

/** The line with which the agent of mode `iterative` declares that it has enough. */
export const enoughMark = 'ENOUGH';

/** What stands before the next need. */
export const needMark = 'NEXT:';

/**
 * Reads a reply by the stage of its turn. A reply without a plan or without SQL gives an empty plan or list.
 */
export function readDatabaseReply(
  { content }: { readonly content: string },
  stage: DatabaseStage,
  turns: readonly FinishedTurn[],
): ReplyRecord['reading'] {
  switch (stage) {
    case 'plan':
      return { kind: 'step', step: { kind: 'plan', text: content.trim() } };
    case 'need':
      return { kind: 'step', step: readNeed(content) };
    case 'queries':
    case 'query': {
      const round = stepsOf(turns).filter(({ kind }) => kind === 'queries').length + 1;
      return { kind: 'step', step: { kind: 'queries', round, queries: queriesIn(content) } };
    }
    case 'repairs': {
      const failed = failedQueries(turns).map(({ index }) => index);
      const queries = queriesIn(content).slice(0, failed.length);
      const repairOf = failed.slice(0, queries.length);
      return { kind: 'step', step: { kind: 'queries', round: 1, queries, repairOf } };
    }
    case 'answer': {
      const answer = { kind: 'text', text: answerIn(content) } as const;
      return { kind: 'action', thought: '', action: { kind: 'GenerateAnswer', answer } };
    }
  }
}

/** The declaration stands alone on the last line, in any case. It is not looked for in prose. */
function readNeed(reply: string) {
  const lines = reply.trim().split('\n');
  const last = (lines.at(-1) ?? '').replace(/[^A-Za-z]/g, '');
  if (last.toUpperCase() === enoughMark) return { kind: 'enough' } as const;
  const at = lines.findLastIndex((line) => bare(line).startsWith(needMark));
  const text = at === -1 ? reply : lines.slice(at).join('\n');
  return { kind: 'plan', text: bare(bare(text).replace(needMark, '')).trim() } as const;
}

/** Without marks of emphasis at the beginning. */
const bare = (text: string): string => text.replace(/^[\s*_#>]+/, '');

/** The text between the last pair of answer tags; an open tag reaches to the end. The whole reply without tags. */
function answerIn(reply: string): string {
  const inner = reply.split(/<answer>/i).at(-1) ?? '';
  return inner === reply ? reply.trim() : (inner.split(/<\/answer>/i)[0] ?? '').trim();
}
