import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../client/services/versions.js';
import { markdownTable, type Benchmark, type Findings } from './benchmark.js';
import { weather, type Storm, type Weathered } from './chaos/chaos-run.js';
import { turnwise } from './chaos/command-line.js';
import { judge, problemsOf, type Verdict } from './chaos/verdict.js';

export const chaosBenchmark: Benchmark = {
  summary:
    'runs of 200 questions × 10 turns whose processes are killed every 5 to 15 s, over an endpoint with faults; takes half an hour',
  run: (tell) => sufferStorms(usualStorm, tell),
};

type Weather = Pick<Storm, 'seed' | 'questions' | 'turns' | 'inFlight' | 'model' | 'pause'>;

const usualStorm: Weather = {
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

interface Suffered {
  readonly name: string;
  readonly weathered: Weathered;
  readonly verdict: Verdict;
}

/** A calm run, then a storm with one worker, and one with two of which one is killed for good. */
async function sufferStorms(storm: Weather, tell: (step: string) => void): Promise<Findings> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-chaos-'));
  let isWorthALook = false;
  try {
    await ingestExamples(home, tell);
    const calm: Storm = {
      ...storm,
      home,
      run: 'calm',
      helper: false,
      pause: null,
      model: { latencyMs: 0 },
    };
    tell('a calm run');
    await weather(calm, tell);
    const suffered: Suffered[] = [];
    for (const [name, helper] of [
      ['one worker', false],
      ['two workers, one killed for good', true],
    ] as const) {
      tell(`a storm with ${name}`);
      const stormy: Storm = { ...storm, home, helper, run: helper ? 'storm-2' : 'storm-1' };
      const weathered = await weather(stormy, tell);
      suffered.push({ name, weathered, verdict: await judge(stormy, calm.run, weathered) });
    }
    const problems = suffered.flatMap(({ name, verdict }) => problemsOf(name, verdict));
    isWorthALook = problems.length > 0;
    if (isWorthALook) tell(`what the storms left is in ${home}`);
    return {
      tables: [stormTable(suffered)],
      figures: { storm, suffered: suffered.map(withoutQuestions) },
      problems,
    };
  } finally {
    if (!isWorthALook) rmSync(home, { recursive: true, force: true });
  }
}

/** Makes the store that storms are suffered with. */
export async function ingestExamples(home: string, tell: (step: string) => void): Promise<void> {
  tell('ingesting the example papers');
  const papers = join(packageRoot, 'examples', 'papers');
  const command = turnwise(['ingest', papers, '--store', 'examples'], { TURNWISE_HOME: home });
  if ((await command.ended) !== 0) throw new Error(command.lastWords());
}

/** What was counted by question would fill pages. */
function withoutQuestions({ name, weathered, verdict }: Suffered): object {
  return { name, ...weathered, stats: { ...weathered.stats, perQuestion: undefined }, verdict };
}

const stormTable = (suffered: readonly Suffered[]): string =>
  markdownTable(
    ['', 'kills', 'faults', 'lost', 'twice', 'differing', 'repeated', 'may be', 'paid again', 's'],
    suffered.map(({ name, weathered: { kills, stats, wallMs }, verdict }) => [
      name,
      String(Object.values(kills).reduce((a, b) => a + b)),
      String(stats.refused + stats.failed),
      String(verdict.lost),
      String(verdict.twice),
      String(verdict.differing.length),
      String(verdict.repeated),
      String(verdict.mayBeRepeated),
      String(verdict.paidAgain),
      (wallMs / 1000).toFixed(0),
    ]),
  );
