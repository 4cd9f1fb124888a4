import { problemsOf, ratioTable, type Benchmark, type Ratio } from '../benchmark.js';
import { inKeptFolder } from './kept-folder.js';
import { runUnderCeilings, type CeilingsSettings } from './machines/ceilings-run.js';

const settings: CeilingsSettings = {
  requestsPerMinute: 240,
  factor: 5,
  levelSeconds: 180,
  budgetTokens: 40_000_000,
  latencyMs: 2000,
};

export const ceilingsBenchmark: Benchmark = {
  summary:
    'two machines and one provider account whose ceiling stands only in the text of a 429 and rises to five times as much and falls again; takes twelve minutes',
  run: (log) =>
    inKeptFolder(log, async (folder) => {
      const result = await runUnderCeilings(settings, folder, log);
      const ratios = result.levels.flatMap(
        ({ perMinute, usedShare, refusedShare }, index): readonly Ratio[] => {
          const name = `level ${index + 1}, ${perMinute} calls a minute`;
          return [
            { name: `${name}: % used`, value: 100 * usedShare, limit: 95, bound: 'at least' },
            { name: `${name}: % refused`, value: 100 * refusedShare, limit: 2, bound: 'at most' },
          ];
        },
      );
      const all: readonly Ratio[] = [
        ...ratios,
        {
          name: 'tokens billed, of the budget',
          value: result.billed / result.budgetTokens,
          limit: 1,
          bound: 'at most',
        },
        { name: 'machines at work', value: result.atWork.length, limit: 2, bound: 'at least' },
      ];
      return {
        tables: [ratioTable(all)],
        figures: { settings, result },
        problems: problemsOf(all),
      };
    }),
};
