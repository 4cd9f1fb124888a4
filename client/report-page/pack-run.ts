import { keyText } from '../../domain/ids.js';
import { pageQuestion, pageTurn } from '../../domain/report-page/page-question.js';
import type { CallSpan } from '../../domain/report-page/plots/calls-in-flight.js';
import type { ReportedRun } from '../../domain/report-page/reported-run.js';
import type { ScoredSample } from '../../domain/reports/scored-sample.js';
import type { RunFolder } from '../run-folder.js';
import type { QuestionPacks } from './question-packs.js';

/** A run with the folder that its turns are in. */
export interface RunToPack {
  readonly folder: RunFolder;
  readonly reported: ReportedRun;
}

/**
 * Packs the conversations of runs, of all runs those first that are looked at first: where the page has no room for all,
 * the others are left out. Returns the model calls of each run, in the order of the runs.
 */
export async function packRuns(
  packs: QuestionPacks,
  runs: readonly RunToPack[],
  comesFirst: (sample: ScoredSample) => boolean,
): Promise<readonly (readonly CallSpan[])[]> {
  const calls = runs.map((): CallSpan[] => []);
  for (const now of [true, false]) {
    for (const [at, run] of runs.entries()) {
      const samples = run.reported.samples.filter((sample) => comesFirst(sample) === now);
      calls[at]?.push(...(await packSamples(packs, run, samples)));
    }
  }
  return calls;
}

async function packSamples(
  packs: QuestionPacks,
  { folder, reported }: RunToPack,
  samples: readonly ScoredSample[],
): Promise<readonly CallSpan[]> {
  const itemOf = new Map(reported.items.map((item) => [item.uuid, item]));
  const resultOf = new Map(reported.results.map((result) => [keyText(result), result]));
  const calls: CallSpan[] = [];
  for (const sample of samples) {
    const item = itemOf.get(sample.uuid);
    if (item === undefined) continue;
    const turns = await folder.turns(sample);
    const result = resultOf.get(keyText(sample)) ?? null;
    packs.add(
      pageQuestion(
        { run: reported.run, item, sample, result },
        turns.map((turn) => pageTurn(turn, packs.place)),
      ),
    );
    for (const { reply } of turns) {
      if (reply.model === null || reply.cacheHit) continue;
      calls.push({ startMs: Date.parse(reply.startedAt), endMs: Date.parse(reply.endedAt) });
    }
  }
  return calls;
}
