import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { measurementFindings, type Measurement } from '../../bench/benchmark.js';
import { checkout } from '../support/command-line.js';
import { readDocument } from '../support/markdown.js';

it('documents the saved times of tools, which are within their limits', () => {
  const { figures } = JSON.parse(
    readFileSync(join(checkout, 'bench/results/tools.json'), 'utf8'),
  ) as { readonly figures: readonly Measurement[] };
  const { tables, problems } = measurementFindings(figures);
  expect(problems).toEqual([]);
  for (const table of tables) expect(readDocument('docs/reference/benchmarks.md')).toContain(table);
});
