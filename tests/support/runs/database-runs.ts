import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AnswerTrace, DatabaseMode } from '../../../domain/agent/database-qa/answer-trace.js';
import { runIdSchema } from '../../../domain/ids.js';
import {
  panelsFile,
  resultsFile,
  scoresFile,
  traceFile,
} from '../../../domain/runs/run-manifest.js';
import {
  subTasks,
  type Decision,
  type ReviewedPanel,
} from '../../../domain/scoring/review/panel.js';
import { type Score } from '../../../domain/scoring/score.js';
import { longFormGrade, longFormMatch } from '../../../domain/scoring/verdict.js';
import {
  databaseDescriptionFile,
  databaseIdSchema,
  databaseKey,
} from '../../../domain/stores/database.js';
import { exampleEnd, sampleKey } from './example-records.js';
import { runInFolder } from './run-in-folder.js';

/** Text that means something to CSV, Markdown and HTML. */
export const hostile = '</script><img src=x onerror="window.attacked = true"> | "a", *b*';

const database = { ddl: 'CREATE TABLE loans (id INTEGER)', rows: '' } as const;
const databaseId = databaseIdSchema.parse('0123456789abcdef0123456789abcdef');

/** Six questions about a library, the first three conclusive. */
export const questions = [
  'Do members of the north branch borrow more than those of the south branch?',
  'Is the reading group larger than last year?',
  `Are late returns rarer since the fines ended? ${hostile}`,
  'How did the new building change what people borrow?',
  'How successful was the summer programme?',
  'What trends are there among young readers?',
].map((question, at) => ({
  uuid: `q${at + 1}`,
  question,
  database,
  category: at < 3 ? ('conclusive' as const) : ('interpretive' as const),
  referenceAnswer: `The records say so: loans rose from 120 to ${130 + at} in a year, most of them of novels.`,
}));

interface WrittenRun {
  readonly run: string;
  readonly method: DatabaseMode;
  /** `q1` to `q6`: conclusive 0 or 1, interpretive 1 to 5; null for an answer without a score. */
  readonly scores: readonly (number | null)[];
  /** Valid queries of each answer; each has one more, empty query if it has any. */
  readonly valid: readonly number[];
  readonly model?: string;
  readonly dataset?: string;
  readonly items?: readonly (typeof questions)[number][];
}

/** Writes an ended run over the questions with traces, scores and one review of every answer. */
export function writeDatabaseRun(
  { run, method, scores, valid, model = 'a-model', dataset = 'd1', items = questions }: WrittenRun,
  home?: string,
): { readonly home: string; readonly folder: string } {
  const { home: into, folder } = runInFolder(
    items,
    (manifest) => ({
      ...manifest,
      run: runIdSchema.parse(run),
      status: 'done',
      endedAt: '2026-01-01T01:00:00.000Z',
      dataset: { ...manifest.dataset, fingerprint: dataset, items: items.length },
      store: null,
      config: { ...manifest.config, method },
      databases: { [databaseKey(database)]: { kind: 'imported', id: databaseId } },
    }),
    home,
  );
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, text);
  };
  items.forEach(({ uuid, category }, at) => {
    const key = sampleKey(uuid);
    const score = scores[at] ?? null;
    const trace = exampleTrace({ uuid, method, model, valid: valid[at] ?? 0 });
    write(join(folder, traceFile(key)), JSON.stringify(trace));
    const { result } = exampleEnd(key);
    write(join(folder, resultsFile), line({ ...result, model, answer: trace.answer.text }));
    write(join(folder, scoresFile), line(scoreOf(key, category, score)));
    for (const panel of examplePanels(uuid, method, at)) {
      write(join(folder, panelsFile('0123456789abcdef')), line(panel));
    }
  });
  writeDescription(into);
  return { home: into, folder };
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

const measured = (text: string) => {
  const words = text.split(/\s+/).filter((word) => word !== '').length;
  return { text, words, tokens: Math.ceil(words * 1.3) };
};

function exampleTrace({
  uuid,
  method,
  model,
  valid,
}: {
  readonly uuid: string;
  readonly method: DatabaseMode;
  readonly model: string;
  readonly valid: number;
}): AnswerTrace {
  const interacts = method !== 'no-interaction' && valid > 0;
  const query = (at: number): AnswerTrace['queries'][number] => ({
    sql: `SELECT branch, count(*) AS loans FROM loans WHERE year = ${2024 + at} GROUP BY branch`,
    round: method === 'iterative' ? at + 1 : 1,
    repairOf: null,
    status: 'rows',
    rows: 3,
    moreRows: false,
    shownRows: 2,
    error: null,
    ms: 4,
    shown: 'branch,loans\n"north, old",120\nsouth,88\n(2 of 3 shown)',
  });
  const last = {
    ...query(valid),
    status: 'empty',
    rows: 0,
    shownRows: 0,
    shown: 'branch,loans\n(0 rows)',
  } as const;
  return {
    uuid,
    epoch: 1,
    method,
    model,
    stoppedBy: 'agent',
    tokenizer: 'o200k_base',
    plan: measured(
      interacts
        ? 'First count the loans of each branch and year, then compare the branches, then look at what was borrowed most.'
        : '',
    ),
    queries: interacts ? [...Array.from({ length: valid }, (_, at) => query(at)), last] : [],
    answer: measured(
      `Loans of ${uuid} rose in the north branch from 120 to 160 in a year, while those of the south branch fell. Most were novels, as the queries show. ${uuid === 'q3' ? hostile : ''}`,
    ),
  };
}

const scoreOf = (
  key: ReturnType<typeof sampleKey>,
  category: 'conclusive' | 'interpretive',
  score: number | null,
): Score => {
  const unit = score === null ? null : category === 'conclusive' ? score : (score - 1) / 4;
  return {
    ...key,
    score: unit,
    scorer: category === 'conclusive' ? longFormMatch : longFormGrade,
    verdict:
      unit === null || score === null
        ? { kind: 'unscored', reason: 'judge-unreadable' }
        : {
            kind: 'scored',
            score: unit,
            ...(category === 'interpretive' && { rawScore: score }),
            rationale: 'The answer names the rise that the gold answer names.',
          },
  };
};

/** All perfect for q1, one dissent for q2, all imperfect after that; meta-reviewers agree but for one. */
function examplePanels(uuid: string, method: DatabaseMode, at: number): readonly ReviewedPanel[] {
  const decide = (perfect: boolean): Decision => (perfect ? 'perfect' : 'imperfect');
  const member = (name: string, decision: Decision) => ({
    model: name,
    decision,
    rationale: `I find this ${decision}, for the plan looks at every branch.`,
  });
  return subTasks
    .filter((subTask) => method !== 'no-interaction' || subTask === 'IS')
    .map((subTask, task) => ({
      ...{ uuid, epoch: 1, subTask },
      reviewers: ['m1', 'm2', 'a-model'].map((name, place) =>
        member(name, decide(at + task === 0 || (at + task < 4 && place < 2))),
      ),
      metaReviewers: ['m1', 'm2', 'm3'].map((name, place) =>
        member(name, decide(at + task < 2 || (at + task === 2 && place === 0))),
      ),
      ...(at === 0 && { reversed: ['perfect', 'perfect', 'imperfect'] as const }),
    }));
}

function writeDescription(home: string): void {
  const path = join(home, databaseDescriptionFile(databaseId));
  mkdirSync(dirname(path), { recursive: true });
  const table = (name: string, rows: number, columns: readonly string[]) => ({
    ...{ name, rows, primaryKey: [], foreignKeys: [] },
    columns: columns.map((column) => ({ name: column, type: 'VARCHAR', nullable: true })),
  });
  writeFileSync(
    path,
    JSON.stringify({
      id: databaseId,
      name: 'library',
      searched: [],
      content: { sha256: 'a'.repeat(64), bytes: 0 },
      tables: [
        table('branches', 3, ['id', 'name']),
        table('loans', 40, ['id', 'branch', 'title', 'year']),
      ],
    }),
  );
}

/** A run of each mode over the same questions. */
export function threeModes(): { readonly home: string; readonly runs: readonly string[] } {
  const { home } = writeDatabaseRun({
    ...{ run: 'none', method: 'no-interaction' },
    scores: [0, 1, 0, 2, 3, 2],
    valid: [0, 0, 0, 0, 0, 0],
  });
  writeDatabaseRun(
    { run: 'seq', method: 'sequential', scores: [1, 1, 0, 4, 3, null], valid: [3, 2, 1, 2, 2, 1] },
    home,
  );
  writeDatabaseRun(
    { run: 'iter', method: 'iterative', scores: [1, 0, 0, 2, 2, 3], valid: [2, 0, 1, 1, 1, 3] },
    home,
  );
  return { home, runs: ['none', 'seq', 'iter'] };
}
