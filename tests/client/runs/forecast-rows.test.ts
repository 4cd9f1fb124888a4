import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { estimateOf } from '../../../client/runs/estimate-run.js';
import { planRun, type RunRequest } from '../../../client/runs/prepare-run.js';
import { countTokens } from '../../../domain/models/tokens.js';
import { runIdSchema } from '../../../domain/ids.js';
import { newHome } from '../../support/command-line.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

/** Two questions about a table of a hundred rows, and one about a table of a thousand. */
function requestIn(home: string, contextTokens: number | null): RunRequest {
  const rows = (count: number): string =>
    Array.from({ length: count }, (_, row) => `${row},lamp number ${row},${row % 2 === 0}`).join(
      '\n',
    );
  writeFileSync(join(home, 'few.csv'), `id,name,lit\n${rows(100)}\n`);
  writeFileSync(join(home, 'many.csv'), `id,name,lit\n${rows(1000)}\n`);
  const questions = ['few', 'few', 'many'].map((table, index) => ({
    uuid: `q${index}`,
    question: 'How many lamps are lit?',
    database: { path: `${table}.csv` },
  }));
  const { config } = exampleManifest();
  return {
    home,
    run: runIdSchema.parse('rows'),
    dataset: {
      path: join(home, 'questions.jsonl'),
      text: questions.map((each) => `${JSON.stringify(each)}\n`).join(''),
    },
    store: null,
    config: { ...config, method: 'no-interaction', contextTokens },
  };
}

it('counts the rows that the prompts of a method hold, of each database', async () => {
  const home = newHome();
  const { estimate } = await estimateOf(await planRun(requestIn(home, null)), home);
  const ofRows = (count: number): number =>
    countTokens(
      Array.from({ length: count }, (_, row) => `${row},lamp number ${row},${row % 2 === 0}`).join(
        '\n',
      ),
    );
  const rows = 2 * ofRows(100) + ofRows(1000);
  expect(estimate.likely.calls).toBe(3);
  expect(estimate.likely.promptTokens).toBeGreaterThan(rows);
  expect(estimate.likely.promptTokens).toBeLessThan(rows + 3 * 700);
  expect(estimate.low.promptTokens).toBeLessThan(estimate.likely.promptTokens);
  expect(estimate.high.promptTokens).toBeGreaterThan(estimate.likely.promptTokens);
});

it('counts no call for questions whose rows do not fit the context', async () => {
  const home = newHome();
  const report = await estimateOf(await planRun(requestIn(home, 5000)), home);
  expect(report.left).toBe(3);
  expect(report.estimate.high.calls).toBe(2);
});
