import { runIdSchema } from '../../../domain/ids.js';
import type { Result } from '../../../domain/agent/question-result.js';
import type { ReportedRun } from '../../../client/runs/reported-run.js';
import { scoreLedger } from '../../../domain/scoring/score-ledger.js';
import { resultsIn, type RunAnswer } from '../../../domain/scoring/answer.js';
import { runFigures } from '../../../domain/runs/run-figures.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { exampleManifest } from './example-manifest.js';

/** A run of these samples as a page is made of it; those that have ended took four turns. */
export function reportedRun(
  samples: readonly RunAnswer[],
  {
    run = 'a-run',
    manifest = {},
    question = (uuid) => `What is ${uuid}?`,
    result = () => ({}),
  }: {
    readonly run?: string;
    readonly manifest?: Partial<RunManifest>;
    readonly question?: (uuid: string) => string;
    readonly result?: (sample: RunAnswer) => Partial<Result>;
  } = {},
): ReportedRun {
  const answers = samples.map((sample): RunAnswer => ({
    ...sample,
    item: { ...sample.item, question: question(sample.uuid) },
    result: sample.result && { ...sample.result, turns: 4, ...result(sample) },
  }));
  return {
    run: runIdSchema.parse(run),
    manifest: {
      ...exampleManifest(),
      status: 'done',
      endedAt: '2026-01-01T01:00:00.000Z',
      ...manifest,
    },
    answers,
    ledger: scoreLedger(answers),
    totals: runFigures(answers.length, resultsIn(answers), [], []).totals,
    tools: null,
    notes: [],
    rulings: { open: [], rulings: [], signOff: null },
    scorer: 'default scorer',
  };
}
