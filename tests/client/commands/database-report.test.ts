import { CommandLine } from '../../../client/commands/shared/command-line.js';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerReport } from '../../../client/commands/report.js';
import type { DatabaseTables } from '../../../domain/runs/database-qa/database-tables.js';
import { panelsFile } from '../../../domain/runs/run-manifest.js';
import type { QuestionTable } from '../../../client/views/page/question-table.js';
import type { PageQuestion } from '../../../client/views/page/page-question.js';
import { captureOutput } from '../../support/commands/capture-output.js';
import {
  hostile,
  questions,
  threeModes,
  writeDatabaseRun,
} from '../../support/runs/database-runs.js';
import { runInFolder } from '../../support/runs/run-in-folder.js';

const output = captureOutput();
let home = '';
beforeEach(() => {
  ({ home } = threeModes());
  vi.stubEnv('TURNWISE_HOME', home);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function report(...args: readonly string[]): Promise<string> {
  const program = new CommandLine('turnwise');
  registerReport(program);
  program.commands[0]?.exitOverride().configureOutput({ writeErr: () => undefined });
  output.stdout = '';
  await program.parseAsync(['report', ...args], { from: 'user' });
  return output.stdout;
}

/** The tables as `--json` prints them. */
const tablesOf = async (...args: readonly string[]): Promise<DatabaseTables> =>
  JSON.parse(await report(...args, '--json')) as DatabaseTables;

const pageOf = (file: string): string => readFileSync(join(home, file), 'utf8');

const dataOf = (page: string, id: string): unknown => {
  const packed = new RegExp(`<script type="text/plain" id="${id}">([^<]*)</script>`).exec(
    page,
  )?.[1];
  return JSON.parse(gunzipSync(Buffer.from(packed ?? '', 'base64')).toString());
};

describe('the tables of runs over databases', () => {
  it('are computed from what the runs have stored', async () => {
    const tables = await tablesOf('none', 'seq', 'iter');
    expect(tables.table1).toMatchObject({
      ...{ size: 6, conclusive: 3, interpretive: 3, databases: 1, tables: 2 },
      columns: { perTable: 3, perDatabase: 6 },
      records: { perTable: 21.5, perDatabase: 43 },
      referenceWords: { conclusive: 18, interpretive: 18 },
    });
    expect(tables.table2).toMatchObject([
      {
        run: 'none',
        method: 'no-interaction',
        conclusive: { match: 0.3333, withoutInteraction: 3 },
      },
      {
        run: 'seq',
        method: 'sequential',
        conclusive: { match: 0.6667, generated: 3, valid: 2, executable: 3, planWords: 20 },
        interpretive: { match: 3.5, scored: 2, unscored: 1, reasons: { 'judge-unreadable': 1 } },
      },
      { run: 'iter', conclusive: { withoutInteraction: 1, planTokens: 17.3333 } },
    ]);
    expect(tables.table3).toMatchObject([
      { run: 'seq', conclusive: { common: 3, difference: 0.3333 }, interpretive: { scored: 2 } },
      { run: 'iter', conclusive: { difference: 0 } },
    ]);
    expect(tables.modes).toMatchObject([{ run: 'iter', baseline: { run: 'seq' } }]);
    expect(tables.table4).toMatchObject([
      { run: 'none', subTask: 'IS', reviewed: 6 },
      { run: 'seq', subTask: 'IP', reviewers: { panels: 6, perfectRate: 0.5, agreement: 0.5 } },
      ...Array.from({ length: 2 }, () => ({ run: 'seq' })),
      { run: 'iter', subTask: 'IP', withoutInteraction: 1 },
      ...Array.from({ length: 2 }, () => ({ run: 'iter' })),
    ]);
    expect(tables.panelWorth[1]).toMatchObject({
      ownModel: { reviewers: true, metaReviewers: false },
      orderCheck: { panels: 1, decisions: 3, changed: 1 },
    });
  });

  it('have no baseline unless a run guesses or is named', async () => {
    const named = await tablesOf('none', 'iter', '--baseline', 'none');
    expect(named.figure3.baseline).toMatchObject({ run: 'none', validQueries: 0 });
    expect((await tablesOf('none', 'iter')).figure3.baseline).toBeNull();
    await expect(report('iter', '--baseline', 'seq')).rejects.toThrow('none of the');
  });

  it('are Markdown in which names and values stand in their columns', async () => {
    const text = await report('seq', 'iter', '--format', 'markdown');
    const rows = text.split('\n').filter((row) => row.startsWith('| a-model † (seq)'));
    expect(rows).toHaveLength(7);
    expect(rows[0]).toContain('0.67 / 3.50 (');
    expect(text).toContain('| GPT-4 | sequential |  |  | 0.30 / 2.34 | 437 / 474 |');
    expect(text).toContain('*published, Table 2*');
    expect(text).toContain('arXiv 2311.09721');
    const columns = (row: string): number => row.replaceAll('\\|', '').split('|').length;
    const tables = text
      .split('\n## ')
      .filter((part) => part.startsWith('Table '))
      .map((part) => part.split('\n').filter((row) => row.startsWith('|')));
    for (const [head = '', ...others] of tables) {
      expect(others.map(columns)).toEqual(others.map(() => columns(head)));
    }
  });

  it('are refused for runs of different datasets, unless restricted to common questions', async () => {
    writeDatabaseRun(
      {
        ...{ run: 'other', method: 'sequential', dataset: 'd2', scores: [1, 1], valid: [1, 1] },
        items: questions
          .slice(0, 2)
          .map((item, at) => (at === 1 ? { ...item, question: 'New?' } : item)),
      },
      home,
    );
    await expect(report('seq', 'other', '--json')).rejects.toThrow(
      'runs seq and other are of different datasets: --common',
    );
    const { table1, table2 } = await tablesOf('seq', 'other', '--common');
    expect(table1?.size).toBe(1);
    expect(table2.map(({ conclusive }) => conclusive.questions)).toEqual([1, 1]);
  });

  it('are no part of a report with other runs', async () => {
    runInFolder([{ uuid: 'a', question: 'How many?' }], (manifest) => manifest, home);
    expect(await report('a-run', '--format', 'markdown')).not.toContain('Table 2');
    await expect(report('seq', 'a-run', '--common', '--json')).rejects.toThrow('are for runs over');
    await expect(report('nowhere')).rejects.toThrow('there is no run nowhere');
    await expect(report()).rejects.toThrow('name a run');
  });

  it('leave out scores of other evaluators, and panels that a review goes on with', async () => {
    const folder = join(home, 'runs', 'seq');
    const edit = (file: string, change: (line: string, at: number) => string): void => {
      const lines = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n');
      writeFileSync(join(folder, file), `${lines.map(change).join('\n')}\n`);
    };
    edit('scores.jsonl', (line, at) =>
      at === 0 ? line.replace('eval_long_form_match', 'eval_execution_match') : line,
    );
    edit(panelsFile('0123456789abcdef'), (line, at) =>
      at === 0 ? line.replace(/}$/, ',"open":true}') : line,
    );
    const { table2, table4 } = await tablesOf('seq');
    expect(table2[0]?.conclusive).toMatchObject({ scored: 2, reasons: { 'other-evaluator': 1 } });
    expect(table4[0]).toMatchObject({ subTask: 'IP', reviewed: 5, unreviewed: 0 });
  });

  it('come from the review that was written to last', async () => {
    const folder = join(home, 'runs', 'seq');
    const later = join(folder, panelsFile('fedcba9876543210'));
    mkdirSync(dirname(later), { recursive: true });
    const [line = ''] = readFileSync(join(folder, panelsFile('0123456789abcdef')), 'utf8').split(
      '\n',
    );
    writeFileSync(later, `${line}\n`);
    utimesSync(later, new Date(), new Date(Date.now() + 60_000));
    expect((await tablesOf('seq')).table4).toMatchObject([{ reviewed: 1 }]);
  });

  it('mark simulated models', async () => {
    writeDatabaseRun(
      {
        ...{ run: 'played', method: 'sequential', model: 'a-model (simulated)' },
        scores: [1, 1, 1, 5, 5, 5],
        valid: [1, 1, 1, 1, 1, 1],
      },
      home,
    );
    const text = await report('seq', 'played', '--format', 'markdown');
    expect(text).toContain('1 of 2 agents are simulated: their figures test the software');
    expect(text).toContain('| a-model (simulated) (played) | sequential |');
  });
});

describe('the page about runs over databases', () => {
  it('holds tables, plots and every question, and no markup but its own', async () => {
    await report('none', 'seq', 'iter', '--out', join(home, 'page.html'));
    const page = pageOf('page.html');
    for (const title of [
      'Table 1: the dataset',
      'Table 2: the agents',
      'Table 3: with and without interaction',
      'Table 4: peer review',
      'Fig. 3: match rate, conclusive questions',
      'Fig. 4: match score by valid queries, interpretive questions',
      'Fig. 5: outcome by sub-task',
    ]) {
      expect(page).toContain(title);
    }
    expect(page).toContain('published, Table 4');
    expect(page).not.toContain('<img');
    const { rows } = dataOf(page, 'question-table') as QuestionTable;
    expect(rows[0]?.cells[0]).toMatchObject({ address: '/compare/none/seq/q1/1' });
    const pack = dataOf(page, 'pack-0') as readonly PageQuestion[];
    const found = pack.find(({ run, uuid }) => run === 'seq' && uuid === 'q3');
    expect(found).toMatchObject({
      gold: questions[2]?.referenceAnswer,
      verdict: { rationale: 'The answer names the rise that the gold answer names.' },
      database: {
        method: 'sequential',
        category: 'conclusive',
        queries: [
          {
            status: 'rows',
            table: {
              columns: ['branch', 'loans'],
              rows: [
                ['north, old', '120'],
                ['south', '88'],
              ],
              note: '(2 of 3 shown)',
            },
          },
          { status: 'empty', table: null },
        ],
        panels: [{ subTask: 'IP' }, { subTask: 'TE' }, { subTask: 'IS', outcome: 'imperfect' }],
      },
    });
    expect(found?.database?.answer.text).toContain(hostile);
  });

  it('is in the folder of a single run, and has its score, too', async () => {
    await report('seq');
    const page = pageOf('runs/seq/report.html');
    expect(page).toContain('class="headline"');
    expect(page).toContain('Table 2: the agents');
    await expect(report('seq', 'iter')).rejects.toThrow('needs --out');
  });
});

describe('answers that were made elsewhere', () => {
  const answer = {
    ...{ uuid: 'x', category: 'conclusive', method: 'sequential', model: 'm', outcome: 'answered' },
    plan: { text: 'one two' },
    queries: [{ sql: 'SELECT 1', round: 1, repairOf: null, status: 'rows', rows: 1, error: null }],
    answer: { text: 'a b c' },
    verdict: { kind: 'scored', score: 1 },
    panels: {
      IS: {
        reviewers: ['perfect', 'perfect', null],
        metaReviewers: ['perfect', 'imperfect', 'perfect'],
      },
    },
  };
  const fileOf = (json: unknown): string => {
    const file = join(home, 'answers.json');
    writeFileSync(file, JSON.stringify(json));
    return file;
  };

  it('give the same tables, without a dataset', async () => {
    const file = fileOf({ answers: [answer] });
    expect(await tablesOf('--traces', file)).toMatchObject({
      table1: null,
      table2: [{ run: null, model: 'm', conclusive: { match: 1, planWords: 2, answerWords: 3 } }],
      table4: [{ subTask: 'IS', metaReviewers: { perfectRate: 0.6667 }, outcomeRate: 1 }],
      figure4: [
        { category: 'conclusive', bins: [{ valid: '1', count: 1, mean: 1 }] },
        { bins: [] },
      ],
    });
    expect(await report('--traces', file)).toContain('| m | sequential | 1 of 1 / 0 of 0 |');
    await report('--traces', file, '--out', join(home, 'page.html'));
    expect(pageOf('page.html')).toContain('These answers were made elsewhere');
  });

  it('are refused with their faults', async () => {
    const wrong = { ...answer, verdict: { kind: 'scored', score: 3 } };
    await expect(report('--traces', fileOf({ answers: [wrong] }))).rejects.toThrow(
      /answers\.json: answer 1: verdict\.score/,
    );
    await expect(report('--traces', fileOf('text'))).rejects.toThrow('answers.json');
    await expect(report('--traces', join(home, 'absent.json'))).rejects.toThrow('cannot be read');
    await expect(report('seq', '--traces', fileOf({ answers: [answer] }))).rejects.toThrow(
      'name no runs with it',
    );
  });
});
