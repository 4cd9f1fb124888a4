import { markdownTable, type Benchmark, type Findings } from '../benchmark.js';
import { runChaos, type ChaosResult, type ChaosSettings } from './chaos-run.js';
import { checkRun, problemsOf, type RunCheck } from './check-run.js';
import { inKeptFolder } from './kept-folder.js';
import { ingestExamplePapers } from '../example-store.js';

export const chaosBenchmark: Benchmark = {
  summary:
    'runs of 200 questions × 10 turns whose processes are killed every 5 to 15 s, over an endpoint with faults; takes half an hour',
  run: (log) => measureChaos(usualSettings, log),
};

type SharedSettings = Omit<ChaosSettings, 'home' | 'run' | 'helper'>;

const usualSettings: SharedSettings = {
  seed: 1,
  questions: 200,
  turns: 10,
  inFlight: 100,
  model: {
    latencyMs: 2000,
    jitter: 0.5,
    faults: { '429': 0.02, '500': 0.02, reset: 0.02, hang: 0.005, 'malformed-json': 0.02 },
  },
  pause: { unit: 'ms', least: 5_000, most: 15_000 },
};

interface CheckedRun {
  readonly name: string;
  readonly result: ChaosResult;
  readonly check: RunCheck;
}

/** An undisturbed run, then a chaos run with one worker, and one with two workers of which one is killed for good. */
function measureChaos(settings: SharedSettings, log: (step: string) => void): Promise<Findings> {
  return inKeptFolder(log, async (home) => {
    await ingestExamplePapers(home, log);
    const undisturbed: ChaosSettings = {
      ...settings,
      home,
      run: 'undisturbed',
      helper: false,
      pause: null,
      model: { latencyMs: 0 },
    };
    log('an undisturbed run');
    await runChaos(undisturbed, log);
    const runs: CheckedRun[] = [];
    for (const [name, helper] of [
      ['one worker', false],
      ['two workers, one killed for good', true],
    ] as const) {
      log(`a chaos run with ${name}`);
      const run = helper ? 'chaos-2' : 'chaos-1';
      const disturbed: ChaosSettings = { ...settings, home, helper, run };
      const result = await runChaos(disturbed, log);
      runs.push({ name, result, check: await checkRun(disturbed, undisturbed.run, result) });
    }
    return {
      tables: [runTable(runs)],
      figures: { settings, runs: runs.map(withoutQuestions) },
      problems: runs.flatMap(({ name, check }) => problemsOf(name, check)),
    };
  });
}

/** Leaves out the counts of each question, which would fill pages. */
function withoutQuestions({ name, result, check }: CheckedRun): object {
  return { name, ...result, stats: { ...result.stats, perQuestion: undefined }, check };
}

const runTable = (runs: readonly CheckedRun[]): string =>
  markdownTable(
    [
      '',
      'kills',
      'faults',
      'lost',
      'twice',
      'differing',
      'repeated',
      'limit of repeated',
      'paid again',
      's',
    ],
    runs.map(({ name, result: { kills, stats, wallMs }, check }) => [
      name,
      String(Object.values(kills).reduce((a, b) => a + b)),
      String(stats.refused + stats.failed),
      String(check.lost),
      String(check.twice),
      String(check.differing.length),
      String(check.repeated),
      String(check.mayBeRepeated),
      String(check.paidAgain),
      (wallMs / 1000).toFixed(0),
    ]),
  );
