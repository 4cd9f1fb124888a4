import { expect, it } from 'vitest';
import { noCap } from '../../../domain/budget/amount.js';
import { forecastBuild } from '../../../domain/building/build-forecast.js';
import type { Build } from '../../../domain/building/build.js';
import { ownPrompts, promptsWith } from '../../../domain/building/prompts.js';
import { datasetNameSchema, itemIdSchema } from '../../../domain/ids.js';
import { boats } from '../../support/runs/building/boats.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

const buildOf = (items: number, changes: Partial<Build> = {}): Build => ({
  ...{ dataset: datasetNameSchema.parse('trial'), annotators: 1, gateTimeoutMs: null },
  ...{ budget: noCap, seedsFrom: 'seeds.jsonl', prompts: ownPrompts, paused: false },
  model: { ...exampleManifest().config.model, price: { input: 1, output: 10 } },
  databases: [{ name: 'boats', tables: boats }],
  seeds: Array.from({ length: items }, (_, at) => ({
    ...{ item: itemIdSchema.parse(`boats-${at + 1}`), database: 0, question: 'Which?' },
    ...{ source: null, licence: null },
  })),
  ...changes,
});

it('counts seven calls an item, with the tokens of its schema and its prompts', () => {
  const one = forecastBuild(buildOf(1));
  expect(one.calls).toBe(7);
  // Replies of 2,140 tokens at 10 dollars a million, and the rest at one.
  expect(one.usd).toBeCloseTo((one.tokens - 2_140 + 21_400) / 1e6, 10);
  expect(one.tokens).toBeGreaterThan(4_000);
  expect(one.tokens).toBeLessThan(8_000);
  const ten = forecastBuild(buildOf(10));
  expect(ten).toMatchObject({ calls: 70, tokens: 10 * one.tokens });
  const prompts = promptsWith({ query: `${ownPrompts.instructions.query}${' again'.repeat(100)}` });
  expect(forecastBuild(buildOf(1, { prompts })).tokens).toBeGreaterThan(one.tokens + 90);
});

it('knows no dollars without a price', () => {
  const model = { ...exampleManifest().config.model, price: null };
  expect(forecastBuild(buildOf(1, { model })).usd).toBeNull();
});
