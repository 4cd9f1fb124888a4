import { mostQueries } from './query-limits.js';
import { enoughMark, needMark } from './read-reply.js';
import type { DatabaseStage } from './stages.js';
import { databaseModes, type DatabaseMode } from './answer-trace.js';

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
