import { runIdSchema } from '../domain/ids.js';
import { problemsOf, ratioTable, type Benchmark, type Findings } from './benchmark.js';
import {
  killAndResume,
  resumedRatios,
  untilAnswered,
  withKilledRun,
  type Resumed,
  type RunSize,
} from './kill-and-resume.js';

export const resumeBenchmark: Benchmark = {
  summary:
    'kills every process after half of 100 questions × 10 turns, then gives the same command again, with and without a budget; takes five minutes',
  run: (log, { questions = 100, turns = 10 }) => measureResume({ questions, turns }, log),
};

const run = runIdSchema.parse('resumed');

/** With a budget, calls also have to wait until the run's workflow is replayed and grants a lease. */
const runs: Readonly<Record<string, readonly string[]>> = {
  'without a budget': [],
  'with a budget': ['--budget-tokens', '1000000000'],
};

async function measureResume(size: RunSize, log: (step: string) => void): Promise<Findings> {
  const measured: (Resumed & { readonly name: string })[] = [];
  for (const [name, options] of Object.entries(runs)) {
    measured.push({ name, ...(await resume(size, options, log)) });
  }
  const ratios = measured.flatMap((resumed) => resumedRatios(resumed.name, resumed));
  return {
    tables: [ratioTable(ratios)],
    figures: { ...size, runs: measured, ratios },
    problems: problemsOf(ratios),
  };
}

const resume = (
  size: RunSize,
  options: readonly string[],
  log: (step: string) => void,
): Promise<Resumed> =>
  withKilledRun(
    run,
    size,
    { latencyMs: 1000, jitter: 0.5, seed: 5 },
    ['--concurrency', '50', ...options],
    log,
    async (killed) => {
      log('waiting until half of the calls are answered');
      const first = killed.command();
      await untilAnswered(killed, killed.calls / 2, first);
      return killAndResume(killed, first, log);
    },
  );
