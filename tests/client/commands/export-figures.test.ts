import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportWriters } from '../../../client/views/exports/export-run.js';
import { tablesData } from '../../../client/views/database-qa/report-tables.js';
import { reportOnRuns } from '../../../client/runs/database-qa/database-report.js';
import { countTotals } from '../../../client/runs/latest-results.js';
import { RunFolder } from '../../../client/runs/run-folder.js';
import { ledgerOf, readRun } from '../../../client/runs/scoring/run-scores.js';
import { readAnswers } from '../../../domain/runs/database-qa/answer-record.js';
import { databaseTables } from '../../../domain/runs/database-qa/database-tables.js';
import { runIdSchema } from '../../../domain/ids.js';
import { roundTo } from '../../../domain/statistics/rounding.js';
import type { Headline } from '../../../domain/scoring/score-ledger.js';
import { threeModes } from '../../support/runs/database-runs.js';
import { exampleEnd, sampleKey } from '../../support/runs/example-records.js';
import { recordedRun } from '../../support/runs/recorded-run.js';
import { runInFolder } from '../../support/runs/run-in-folder.js';

const formats = ['csv', 'json'] as const;
type Format = (typeof formats)[number];

/** What Python computes from the exports of some runs, and from nothing else. */
async function figuresOf(folders: readonly RunFolder[], format: Format) {
  const files: string[] = [];
  for (const folder of folders) {
    const out = mkdtempSync(join(tmpdir(), 'turnwise-figures-'));
    const stored = await readRun(folder);
    const name = await exportWriters[format]({ folder, files: stored, out, withTexts: false });
    files.push(join(out, name));
  }
  const printed = execFileSync('python3', ['tests/python/figures_of_export.py', ...files], {
    encoding: 'utf8',
  });
  return JSON.parse(printed, (_, value: unknown) =>
    typeof value === 'number' ? roundTo(value, 4) : value,
  ) as { readonly runs: readonly unknown[]; readonly databases: Record<string, unknown> | null };
}

const headlineOf = ({ samples, scored, unresolved, score }: Headline) => ({
  ...{ samples, scored, unresolved },
  mean: score && roundTo(score.mean, 4),
  interval: score && {
    low: roundTo(score.interval.low, 4),
    high: roundTo(score.interval.high, 4),
  },
});

const folderOf = (home: string, run: string): RunFolder =>
  new RunFolder(home, runIdSchema.parse(run));

describe.each(formats)('from an export as %s alone', (format) => {
  it('Python computes the mean, its counts, the tables by tags, cost and tokens of a run', async () => {
    const { home } = await recordedRun();
    const folder = folderOf(home, 'a-run');
    const { runs } = await figuresOf([folder], format);
    const { headlines, groups } = ledgerOf(await readRun(folder));
    const { usage, cost, outcomes } = await countTotals(folder);
    const tags = groups.find(({ field }) => field === 'tags')?.scores ?? [];
    expect(runs).toEqual([
      {
        headline: headlineOf(headlines[0]),
        tags: tags.map((each) => ({ group: each.group, ...headlineOf(each) })),
        outcomes,
        usage: {
          prompt_tokens: usage.promptTokens,
          completion_tokens: usage.completionTokens,
          cached_tokens: usage.cachedTokens,
          reasoning_tokens: usage.reasoningTokens,
          calls: usage.calls,
          lost_tokens: usage.lostTokens,
        },
        costUsd: roundTo(cost.usd, 4),
        judgeCostUsd: 0,
        judgeCalls: 0,
      },
    ]);
  });

  it('Python computes intervals over papers of different sizes', async () => {
    const papers = ['a', 'a', 'a', 'a', 'b', 'b', 'c', 'd', 'd'];
    const items = papers.map((paper, at) => ({
      uuid: `q${at}`,
      question: `What is ${at}?`,
      anchor_pdf: [paper],
      evaluator: { eval_func: 'eval_bool_exact_match', eval_kwargs: { gold: true } },
    }));
    const { manifest, runFiles, home } = runInFolder(items, (each) => ({
      ...each,
      status: 'done',
    }));
    const ends = papers.map((_, at) => {
      const { result, score } = exampleEnd(sampleKey(`q${at}`));
      const value = [1, 0, 0.5, 1, 0.2, 0.4, 1, 0, 0.9][at] ?? 0;
      return {
        result,
        score: { ...score, score: value, verdict: { kind: 'scored' as const, score: value } },
      };
    });
    await runFiles.publish(manifest.run, ends);
    const folder = folderOf(home, manifest.run);
    const { runs } = await figuresOf([folder], format);
    const { headlines } = ledgerOf(await readRun(folder));
    expect(headlines[0].score?.method).toBe('cluster-robust');
    expect(runs).toMatchObject([{ headline: headlineOf(headlines[0]) }]);
  });

  it('Python computes every table over databases', async () => {
    const { home, runs } = threeModes();
    const folders = runs.map((run) => folderOf(home, run));
    const { databases } = await figuresOf(folders, format);
    const report = await reportOnRuns(folders, {});
    const expected = tablesData(report) as Record<string, unknown>;
    const { answers, ...figures } = databases ?? {};
    expect(Object.keys(figures)).toHaveLength(9);
    expect(expected).toMatchObject(figures);
    // What panels are worth: by the tables that turnwise makes of answers that were made elsewhere.
    const { agents, problems } = readAnswers({ answers });
    expect(problems).toEqual([]);
    const again = tablesData({ tables: databaseTables(agents), notes: [] });
    const withoutRuns = JSON.parse(JSON.stringify(expected), (key, value: unknown) =>
      key === 'run' ? null : key === 'configured' ? undefined : value,
    ) as object;
    expect({ ...again, notes: null, table1: null }).toEqual({
      ...withoutRuns,
      notes: null,
      table1: null,
    });
  });
});
