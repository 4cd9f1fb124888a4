import { describe, expect, it } from 'vitest';
import type { ReportedRun } from '../../../../client/runs/reported-run.js';
import { textOf, type QuestionTable } from '../../../../client/views/page/question-table.js';
import { questionsOf } from '../../../../client/views/page/run-questions.js';
import { compareRuns, type RunComparison } from '../../../../domain/runs/compare-runs.js';
import type { Note } from '../../../../domain/runs/run-manifest.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';
import { sampleKey } from '../../../support/runs/example-records.js';
import { reportedRun } from '../../../support/runs/reported-run.js';
import { runAnswer } from '../../../support/runs/run-answer.js';

const asCompared = ({ run, answers, scorer }: ReportedRun) => ({
  ...{ run, ended: true, scorer, manifest: exampleManifest(), answers },
});
const compared = (baseline: ReportedRun, ...others: readonly ReportedRun[]): RunComparison =>
  compareRuns(asCompared(baseline), others.map(asCompared), []);

/** The texts of a column, by the ids of the questions. */
function column({ columns, rows }: QuestionTable, name: string): Readonly<Record<string, string>> {
  const at = columns.findIndex((each) => each.name === name);
  return Object.fromEntries(rows.map(({ uuid, cells }) => [uuid, textOf(cells[at])]));
}

const addresses = ({ rows }: QuestionTable): readonly (readonly string[])[] =>
  rows.map(({ cells }) =>
    cells.flatMap((cell) => (typeof cell === 'object' && cell.address ? [cell.address] : [])),
  );

const before = reportedRun(
  [
    runAnswer({ uuid: 'same', verdict: 1 }),
    runAnswer({ uuid: 'lost', verdict: 'outside-failure', outcome: 'infra-error' }),
    runAnswer({ uuid: 'better', verdict: 0 }),
    runAnswer({ uuid: 'worse', verdict: 1 }),
  ],
  { run: 'before' },
);
const after = (run = 'after'): ReportedRun =>
  reportedRun(
    [
      runAnswer({ uuid: 'worse', verdict: 0 }),
      runAnswer({ uuid: 'better', verdict: 1 }),
      runAnswer({ uuid: 'lost', verdict: 1 }),
      runAnswer({ uuid: 'same', verdict: 1 }),
      runAnswer({ uuid: 'new', verdict: 1 }),
    ],
    { run, result: () => ({ answer: 'another' }) },
  );

describe('the questions of a run', () => {
  const table = questionsOf([before]);

  it('lead to their conversations, with their verdicts', () => {
    expect(addresses(table)[0]).toEqual(['/runs/before/questions/same/1']);
    expect(column(table, 'verdict')).toEqual({
      ...{ same: 'right', lost: 'outside-failure', better: 'wrong', worse: 'right' },
    });
  });

  it('have the notes on them, by whose tags they are filtered', () => {
    const note = (id: string, tags: readonly string[], text = ''): Note => ({
      ...{ kind: 'note', id, at: '2026-01-01T10:00:00.000Z', by: 'ann', tags, text },
      about: sampleKey('worse'),
    });
    const notes = [
      note('00000001', ['label-error'], 'two golds'),
      note('00000002', ['keep', 'label-error']),
      { ...note('00000003', [], 'why?'), about: sampleKey('lost') },
      { ...note('00000004', ['of the run']), about: null },
    ];
    const noted = questionsOf([{ ...before, notes }]);
    expect(column(noted, 'notes')).toEqual({
      ...{ same: '', better: '', lost: 'why?' },
      worse: 'label-error: two golds · keep, label-error',
    });
    const at = noted.filters.indexOf('noted');
    expect(noted.rows.map(({ uuid, values }) => [uuid, values[at]])).toEqual([
      ['same', ['without a note']],
      ['lost', ['without a tag']],
      ['better', ['without a note']],
      ['worse', ['label-error', 'keep']],
    ]);
  });

  it('name what would steer a browser or a terminal, in cells and filters', () => {
    const hostile = 'a\u202eb';
    const run = reportedRun(
      ['one', 'two'].map((uuid) =>
        runAnswer({ uuid, verdict: 1, item: { tags: [uuid === 'one' ? hostile : 'plain'] } }),
      ),
      { question: () => hostile, result: () => ({ answer: hostile }) },
    );
    expect(JSON.stringify(questionsOf([run]))).not.toContain('\u202e');
    expect(questionsOf([run]).rows[0]?.values).toContainEqual(['a[U+202E]b']);
  });

  it('have no column that is always empty, and no filter with one choice', () => {
    expect(table.columns.map(({ name }) => name)).not.toContain('tags');
    expect(table.filters).toEqual(['outcome', 'verdict', 'ruling']);
  });
});

describe('the questions of two runs', () => {
  const table = questionsOf([before, after()], compared(before, after()));

  it('are those of both, changed ones first, and lead to both conversations', () => {
    expect(Object.entries(column(table, 'change'))).toEqual([
      ['better', 'better'],
      ['worse', 'worse'],
      ['same', 'same'],
      ['lost', 'not comparable'],
    ]);
    expect(addresses(table)[0]).toEqual(['/compare/before/after/better/1']);
    expect(column(table, 'difference')).toEqual({
      ...{ better: '+1.000', worse: '−1.000', same: '0.000', lost: '–' },
    });
  });
});

describe('the questions of several runs', () => {
  const runs = [before, after('one'), after('two')] as const;
  const table = questionsOf(runs, compared(...runs));

  it('are a matrix, in which each verdict leads to its conversation', () => {
    expect(table.columns.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['before', 'one', 'two']),
    );
    expect(addresses(table)[0]).toEqual([
      ...['/compare/before/one/same/1', '/runs/before/questions/same/1'],
      ...['/runs/one/questions/same/1', '/runs/two/questions/same/1'],
    ]);
    expect(column(table, 'before')).toMatchObject({ same: 'right', new: '' });
    expect(column(table, 'two')).toMatchObject({ worse: 'wrong', new: 'right' });
  });

  it('are filtered by whether the runs differ, and say what changed', () => {
    const at = table.filters.indexOf('runs');
    expect(
      table.rows.flatMap(({ uuid, values }) => (values[at]?.includes('differ') ? [uuid] : [])),
    ).toEqual(['lost', 'better', 'worse', 'new']);
    const better = table.rows.find(({ uuid }) => uuid === 'better');
    expect(better?.cells.at(-1)).toMatchObject({ text: 'right', under: 'better: answer' });
  });
});
