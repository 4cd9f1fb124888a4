import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { answerOf } from '../../../../client/library/stored-run.js';
import { inspectSample } from '../../../../client/views/exports/inspect-log.js';
import { questionTrace } from '../../../../client/views/exports/question-spans.js';
import type { RecordedQuestion } from '../../../../client/views/exports/recorded-question.js';
import { resultRow } from '../../../../client/views/exports/result-table.js';
import { answerTraceSchema } from '../../../../domain/agent/database-qa/answer-trace.js';
import { resultSchema } from '../../../../domain/agent/question-result.js';
import { datasetItemSchema } from '../../../../domain/scoring/dataset-item.js';
import { executionSchema } from '../../../../domain/scoring/execution-match/execution.js';
import { reviewedPanelSchema } from '../../../../domain/scoring/review/panel.js';
import { scoreSchema } from '../../../../domain/scoring/score.js';
import { changesIn } from '../../../support/schema-changes.js';
import { recordedQuestion } from '../../../support/runs/recorded-question.js';

/** What each format writes of a question, as one text. */
const formats = {
  /** CSV, Parquet and JSON, which have the same columns. */
  tables: (question) => JSON.stringify(resultRow(question)),
  inspect: (question) => JSON.stringify(inspectSample(question).sample),
  spans: (question) => JSON.stringify(questionTrace(question, true)),
  spansWithoutTexts: (question) => JSON.stringify(questionTrace(question, false)),
  library: ({ item, result, score }) => JSON.stringify(answerOf(item, result, score)),
} as const satisfies Readonly<Record<string, (question: RecordedQuestion) => string>>;
type Format = keyof typeof formats;

/** The records of an answer: each with its schema, and the place where an export finds it. */
const records: Readonly<Record<string, readonly [z.ZodType, (value: unknown) => object]>> = {
  item: [datasetItemSchema, (item) => ({ item })],
  result: [resultSchema, (result) => ({ result })],
  score: [scoreSchema, (score) => ({ score })],
  trace: [answerTraceSchema, (trace) => ({ trace })],
  panel: [reviewedPanelSchema, (panel) => ({ panels: [panel] })],
  execution: [executionSchema, (execution) => ({ execution })],
};

/** Fields whose texts have a form, or whose values depend on one another. */
const formed = {
  database: [{ path: 'a.sqlite' }, { path: 'b.sqlite' }],
  scorer: ['eval_scidqa', 'eval_long_form_grade'],
  failure: ['ModelUnavailable', 'ModelOverloaded'],
} as const;

/** What the key of a record repeats, or another record has. */
const repeated = [
  'result.uuid',
  'result.epoch',
  'result.question',
  'result.tags[]',
  'score.uuid',
  'score.epoch',
  'score.asking',
  // All lines of a version of scores have its number.
  'score.version',
  'score.verdict(scored).score',
];

/** What the results of a run over databases hold besides: the library has them in the run's files. */
const ofDatabases = ['trace', 'panel', 'execution'];

/** Fields that a format leaves out on purpose. A record or an object stands for all its fields. */
const leftOut: Readonly<Record<Format, readonly string[]>> = {
  tables: repeated,
  inspect: [],
  spans: [],
  // Texts, and what says how long a turn took or failed: that is in the spans of the turns.
  spansWithoutTexts: [
    ...['item.question', 'item.answer_format', 'item.anchor_pdf[]'],
    ...['item.reference_pdf[]', 'item.conference[]', 'item.evaluator', 'item.database'],
    ...['item.referenceAnswer', 'item.refusals'],
    ...['result.uuid', 'result.question', 'result.tags[]', 'result.answer', 'result.model'],
    ...['result.outcome(refused)', 'result.outcome(turn-limit)', 'result.outcome(unparseable)'],
    ...['result.outcome(context-overflow)', 'result.outcome(infra-error).attempts'],
    'result.outcome(infra-error).failures',
    ...['result.answeredBy[].systemFingerprint', 'result.answeredBy[].serviceTier'],
    ...['result.answeredBy[].replies', 'result.times', 'result.tools', 'result.trajectory'],
    ...['score.uuid', 'score.epoch', 'score.asking', 'score.version'],
    'score.verdict(scored).score',
    ...['score.verdict(scored).rationale', 'score.verdict(unscored).message'],
    ...['score.judging', 'score.judgeUsage'],
    ...ofDatabases,
  ],
  library: [
    ...['item.uuid', 'item.answer_format', 'item.anchor_pdf[]', 'item.reference_pdf[]'],
    // A reference answer is in the evaluator where the item names none.
    ...['item.conference[]', 'item.database', 'item.refusals', 'item.referenceAnswer'],
    ...['result.question', 'result.tags[]', 'result.model', 'result.trajectory'],
    ...['result.outcome(refused).by', 'result.outcome(turn-limit)'],
    ...['result.outcome(infra-error).attempts', 'result.outcome(infra-error).failures'],
    ...['result.times', 'result.tools'],
    ...['score.uuid', 'score.epoch', 'score.asking', 'score.version'],
    'score.verdict(scored).score',
    ...['score.judging.prompts', 'score.judging.combination', 'score.judgeUsage'],
    ...['score.judging.judges[].verdict(scored).rawScore'],
    ...ofDatabases,
  ],
};

describe.each(Object.keys(formats) as Format[])('what is exported as %s', (format) => {
  const write = formats[format];
  const paths = Object.entries(records).flatMap(([record, [schema, placed]]) =>
    changesIn(schema, formed).map(({ path, before, after }) => {
      const question = recordedQuestion('right');
      const [one, other] = [before, after].map((value) => write({ ...question, ...placed(value) }));
      return { path: `${record}.${path}`, isShown: one !== other };
    }),
  );
  const isListed = (path: string): boolean =>
    leftOut[format].some(
      (each) => path === each || (/^[.([]/.test(path.slice(each.length)) && path.startsWith(each)),
    );

  it('is every field of the stored records but those that are listed', () => {
    const missing = paths.filter(({ path, isShown }) => !isShown && !isListed(path));
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  it('is none of those that are listed', () => {
    const shown = paths.filter(({ path, isShown }) => isShown && isListed(path));
    expect(shown.map(({ path }) => path)).toEqual([]);
    const unknown = leftOut[format].filter(
      (each) => !paths.some(({ path }) => path.startsWith(each)),
    );
    expect(unknown).toEqual([]);
  });
});
