import { CommandLine } from '../../../../client/commands/shared/command-line.js';
import { describe, expect, it } from 'vitest';
import { requirePrice } from '../../../../client/runs/steering/budget-price.js';
import {
  limitOptions,
  tuningOf,
  type LimitFlags,
} from '../../../../client/runs/steering/tuning-options.js';
import type { Tuning } from '../../../../domain/runs/run-config.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';

const parse = (...args: readonly string[]): Tuning => {
  const command = new CommandLine()
    .takes(limitOptions)
    .exitOverride()
    .configureOutput({
      writeErr: () => undefined,
    });
  return tuningOf(command.parse(args, { from: 'user' }).opts<LimitFlags>());
};

describe('the limits of a run', () => {
  it.each<[readonly string[], Tuning]>([
    [[], {}],
    [['--concurrency', '5'], { concurrency: 5 }],
    [['--concurrency', 'auto'], { concurrency: 'auto' }],
    [['--budget-usd', '0.5'], { budgetUsd: 0.5 }],
    [['--budget-usd', 'none'], { budgetUsd: null }],
    [['--budget-tokens', '1000', '--deadline', 'none'], { budgetTokens: 1000, deadline: null }],
    [['--budget-tokens', 'none'], { budgetTokens: null }],
    [['--deadline', '2099-01-01T00:00Z'], { deadline: '2099-01-01T00:00:00.000Z' }],
  ])('%j are %j', (args, tuning) => {
    expect(parse(...args)).toEqual(tuning);
  });

  it.each([
    ['--concurrency', '0'],
    ['--concurrency', 'none'],
    ['--budget-usd', '-1'],
    ['--budget-usd', ''],
    ['--budget-tokens', '1.5'],
    ['--deadline', '2020-01-01T00:00Z'],
  ])('are refused: %s %s', (...args) => {
    expect(() => parse(...args)).toThrow(/It (must be|is past)/);
  });

  it('in dollars need a price', () => {
    const { model } = exampleManifest().config;
    expect(() => requirePrice(model, { budgetUsd: 1 })).toThrow(
      /what a-model costs is not known.*turnwise\.yaml.*--budget-tokens/,
    );
    expect(() => requirePrice(model, { budgetUsd: 1 }, ' and start it again')).toThrow(
      /into turnwise\.yaml and start it again, or give --budget-tokens/,
    );
    requirePrice(model, { budgetUsd: null });
    requirePrice(model, {});
    requirePrice({ ...model, price: { input: 1, output: 1 } }, { budgetUsd: 1 });
  });
});
