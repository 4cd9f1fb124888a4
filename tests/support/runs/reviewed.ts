import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type {
  AnswerTrace,
  DatabaseMode,
  MeasuredText,
} from '../../../domain/agent/database-qa/answer-trace.js';
import type { RunId } from '../../../domain/ids.js';
import { traceFile, type RunManifest } from '../../../domain/runs/run-manifest.js';
import {
  databaseDescriptionFile,
  databaseIdSchema,
  databaseKey,
} from '../../../domain/stores/database.js';
import {
  reviewIdOf,
  reviewPromptVersion,
  reviewFile,
  type ReviewConfig,
  type ReviewId,
} from '../../../domain/scoring/review/panel.js';
import { exampleManifest } from './example-manifest.js';
import { exampleEnd, sampleKey } from './example-records.js';
import { runInFolder, type RunInFolder } from './run-in-folder.js';

const measured = (text: string): MeasuredText => ({ text, words: 0, tokens: 0 });

/** How an answer about lamps came about. */
export const exampleTrace = (uuid: string, changes: Partial<AnswerTrace> = {}): AnswerTrace => ({
  uuid,
  epoch: 1,
  method: 'sequential',
  model: 'a-model-2026',
  stoppedBy: 'agent',
  tokenizer: 'o200k_base',
  plan: measured('The number of lamps that shine, from table lamps.'),
  queries: [
    {
      sql: 'SELECT count(*) AS shining FROM lamps WHERE lit;',
      round: 1,
      repairOf: null,
      status: 'rows',
      rows: 1,
      moreRows: false,
      shownRows: 1,
      error: null,
      ms: 1,
      shown: 'shining\n7',
    },
  ],
  answer: measured('Of all lamps 7 shine.'),
  ...changes,
});

/** The trace of an agent that answered without asking anything. */
export const withoutInteraction: Partial<AnswerTrace> = {
  method: 'iterative',
  plan: measured(''),
  queries: [],
};

const source = { ddl: 'CREATE TABLE lamps (lit BOOLEAN);', rows: '' };
const databaseId = databaseIdSchema.parse('0123456789abcdef0123456789abcdef');

export const questionOf = (uuid: string): string => `How many lamps of ${uuid} shine?`;

/** A run with an answer to each of the questions, over an imported database. */
export async function answeredRun(
  uuids: readonly string[],
  {
    mode = 'sequential',
    traceOf = () => ({}),
    home,
    change = (manifest) => manifest,
  }: {
    readonly mode?: DatabaseMode;
    readonly traceOf?: (uuid: string) => Partial<AnswerTrace>;
    readonly home?: string;
    readonly change?: (manifest: RunManifest) => RunManifest;
  } = {},
): Promise<RunInFolder> {
  const items = uuids.map((uuid) => ({ uuid, question: questionOf(uuid), database: source }));
  const run = runInFolder(
    items,
    (example) =>
      change({
        ...example,
        status: 'done',
        store: null,
        databases: { [databaseKey(source)]: { kind: 'imported', id: databaseId } },
        dataset: { ...example.dataset, items: uuids.length },
        config: { ...example.config, method: mode },
      }),
    home,
  );
  const description = {
    id: databaseId,
    name: 'lamps',
    searched: [],
    content: { sha256: 'a'.repeat(64), bytes: 0 },
    tables: [
      {
        name: 'lamps',
        rows: 9,
        columns: [{ name: 'lit', type: 'BOOLEAN', nullable: true }],
        primaryKey: [],
        foreignKeys: [],
      },
    ],
  };
  const path = join(run.home, databaseDescriptionFile(databaseId));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(description));
  const { runFiles, manifest } = run;
  for (const key of uuids.map((uuid) => sampleKey(uuid))) {
    const trace = exampleTrace(key.uuid, { method: mode, ...traceOf(key.uuid) });
    await runFiles.saveText(manifest.run, traceFile(key), JSON.stringify(trace));
    if (mode === 'no-interaction') {
      const at = '2026-01-01T00:00:00.000Z';
      const context = { titles: {}, context: 'lamps:\nlit\ntrue', startedAt: at, endedAt: at };
      await runFiles.saveQuestionContext(manifest.run, key, context);
    }
    const end = exampleEnd(key);
    await runFiles.saveEnd(manifest.run, key, end, []);
    await runFiles.publish(manifest.run, [end]);
  }
  return run;
}

/** @param names - of the reviewers, and of the meta-reviewers after a `|`: `a,b,c|d,e,f` */
export function reviewConfig(names: string, changes: Partial<ReviewConfig> = {}): ReviewConfig {
  const [reviewers = [], metaReviewers = []] = names.split('|').map((side) =>
    side.split(',').map((name) => ({
      ...exampleManifest().config.model,
      name,
      price: { input: 1, output: 10 },
    })),
  );
  return { reviewers, metaReviewers, tries: 3, seed: 1, orderCheck: 0, ...changes };
}

/** Makes a review known to workers, as the command does. */
export async function plannedReview(
  { runFiles, manifest }: Pick<RunInFolder, 'runFiles' | 'manifest'>,
  config: ReviewConfig,
): Promise<{ readonly run: RunId; readonly review: ReviewId }> {
  const { run } = manifest;
  const review = reviewIdOf(config);
  const record = { run, review, prompts: reviewPromptVersion, config, totals: null };
  await runFiles.saveText(run, reviewFile(review), JSON.stringify(record));
  return { run, review };
}

export const saysPerfect = 'All is well.\n\nDecision: Perfect';
export const saysImperfect = 'Something is missing.\n\nDecision: Imperfect';
