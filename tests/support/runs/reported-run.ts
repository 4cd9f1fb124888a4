import { runIdSchema } from '../../../domain/ids.js';
import { datasetItemSchema } from '../../../domain/scoring/dataset-item.js';
import type { Result } from '../../../domain/agent/question-result.js';
import type { ReportedRun } from '../../../client/views/page/reported-run.js';
import { scoreLedger } from '../../../domain/scoring/score-ledger.js';
import type { ScoredSample } from '../../../domain/scoring/scored-sample.js';
import { runFigures } from '../../../domain/runs/run-figures.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { exampleManifest } from './example-manifest.js';
import { exampleEnd } from './example-records.js';

/** A run of these samples as a page is made of it; those that have ended took four turns. */
export function reportedRun(
  samples: readonly ScoredSample[],
  {
    run = 'a-run',
    manifest = {},
    question = (uuid) => `What is ${uuid}?`,
    result = () => ({}),
  }: {
    readonly run?: string;
    readonly manifest?: Partial<RunManifest>;
    readonly question?: (uuid: string) => string;
    readonly result?: (sample: ScoredSample) => Partial<Result>;
  } = {},
): ReportedRun {
  const results = samples
    .filter(({ outcome }) => outcome !== null)
    .map((sample) => ({ ...exampleEnd(sample).result, turns: 4, ...result(sample) }));
  return {
    run: runIdSchema.parse(run),
    manifest: {
      ...exampleManifest(),
      status: 'done',
      endedAt: '2026-01-01T01:00:00.000Z',
      ...manifest,
    },
    items: samples.map(({ item }) =>
      datasetItemSchema.parse({ ...item, question: question(item.uuid) }),
    ),
    results,
    samples,
    ledger: scoreLedger(samples),
    totals: runFigures(samples.length, results, [], []).totals,
    tools: null,
    scorer: 'default scorer',
  };
}
