import { expect, it } from 'vitest';
import { countTotals } from '../../../client/runs/latest-results.js';
import { RunFolder } from '../../../client/runs/run-folder.js';
import { takeSnapshot, type RunSnapshot } from '../../../client/runs/status/run-snapshot.js';
import { statusDocument, statusResult } from '../../../client/views/progress/status-text.js';
import { endedQuestion, type EndRecord } from '../../../domain/runs/question-end.js';
import { resultsFile, rulingsFile, scoresFile } from '../../../domain/runs/run-manifest.js';
import { runProgress } from '../../../domain/runs/run-progress.js';
import { emptyRun } from '../../../domain/runs/run-state.js';
import { addEnded, noTotals } from '../../../domain/runs/run-totals.js';
import { sectionText } from '../../support/commands/section-text.js';
import { exampleEnd, sampleKey } from '../../support/runs/example-records.js';
import { rulingOf } from '../../support/runs/ruled.js';
import { runInFolder } from '../../support/runs/run-in-folder.js';

const scored = (number: number): EndRecord => {
  const end = exampleEnd(sampleKey(`q${number}`));
  const score = number % 2;
  return {
    result: { ...end.result, turns: 2, model: 'a-model', answer: 'x'.repeat(1000) },
    score: {
      ...end.score,
      score,
      verdict: { kind: 'scored', score, rationale: '' },
      scorer: 'eval_string_exact_match',
    },
  };
};

/** A run of 6,000 questions, of which 3,000 have ended. */
const { home, manifest, runFiles } = runInFolder(
  Array.from({ length: 6000 }, (_, index) => ({ uuid: `q${index + 1}`, question: 'Why?' })),
  (example) => ({ ...example, dataset: { ...example.dataset, items: 6000 } }),
);
const { run } = manifest;
const ends = Array.from({ length: 3000 }, (_, index) => scored(index + 1));
await runFiles.publish(run, ends);
const totals = ends.map(endedQuestion).reduce(addEnded, noTotals);

/** Notes which files are read from their beginning. */
function snapshotOf(all: boolean): {
  readonly taken: Promise<RunSnapshot>;
  readonly whole: readonly string[];
} {
  const whole: string[] = [];
  const folder = new RunFolder(home, run, home, {
    ...runFiles,
    lines: (of, file, schema) => {
      whole.push(file);
      return runFiles.lines(of, file, schema);
    },
    items: (of) => {
      whole.push('items');
      return runFiles.items(of);
    },
    eachLine: (of, file, schema, use) => {
      whole.push(file);
      return runFiles.eachLine(of, file, schema, use);
    },
  });
  const progress = runProgress({ ...emptyRun, samples: 6000, totals }, 100);
  const live = { kind: 'open' as const, progress, slow: [] };
  const ask = () => Promise.resolve({ live, histories: [], accounts: [] });
  return { taken: takeSnapshot({ run, folder, ask: Promise.resolve(ask), all }), whole };
}

it('reads only the latest results of a large run, and takes its totals from its workflow', async () => {
  const { taken, whole } = snapshotOf(false);
  const snapshot = await taken;
  // People write them: they are few.
  expect(whole).toEqual(['notes.jsonl']);
  const text = sectionText(...statusResult(snapshot).sections);
  expect(text).toContain('3000 of 6000 questions answered, 3000 not ended\n');
  expect(text).toMatch(/^\S.* 0\.500 over 3,000 scored$/m);
  expect(text).toMatch(/of the last \d{3} questions that ended \(`turnwise status a-run --all`/);
  expect(text).toContain('answered by a-model');
  expect(text).toMatch(/^q2\d{3} +answered +0\.00/m);
  const document = JSON.parse(JSON.stringify(statusDocument(snapshot))) as { latest: number };
  expect(document.latest).toBeGreaterThan(100);
  expect(document.latest).toBeLessThan(1000);
  expect(document).toMatchObject({ ended: 3000, totals: { turns: 6000 }, ledger: null });
});

it('reads all of them where it is told to', async () => {
  const { taken, whole } = snapshotOf(true);
  const snapshot = await taken;
  expect(whole.toSorted()).toEqual(
    ['items', 'notes.jsonl', 'rulings.jsonl', resultsFile, scoresFile].toSorted(),
  );
  expect(snapshot.stored?.results).toHaveLength(3000);
  expect(sectionText(...statusResult(snapshot).sections)).not.toContain('of the last');
});

it('counts the totals of a large run where no workflow tells them', async () => {
  expect(await countTotals(new RunFolder(home, run))).toEqual(totals);
});

it('reads all of them where people have ruled on one', async () => {
  await runFiles.addLine(run, rulingsFile, rulingOf(sampleKey('q2'), 'exclude'));
  const { stored } = await snapshotOf(false).taken;
  expect(stored?.results).toHaveLength(3000);
  expect(stored?.ledger?.headlines[0]).toMatchObject({
    ...{ scored: 2999, rulings: { counts: { exclude: 1 }, without: { scored: 3000 } } },
  });
});
