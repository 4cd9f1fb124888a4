import { nameOfAction } from '../../domain/agent/actions/action.js';
import { questionIdSchema, type RunId } from '../../domain/ids.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import type { RunProgress } from '../../domain/runs/run-progress.js';
import { endedCount, totalOfScores, type RunTotals } from '../../domain/runs/run-totals.js';
import type { Result } from '../../domain/agent/question-result.js';
import { evaluatorOf, type DatasetItem } from '../../domain/scoring/dataset-item.js';
import type { Score } from '../../domain/scoring/score.js';
import type { Verdict } from '../../domain/scoring/verdict.js';
import { didYouMean } from '../../domain/formats/did-you-mean.js';
import { environmentSchema, type Environment } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { watchStartedRun } from '../runs/execute-run.js';
import { notServed, RunFolder, samplesOf } from '../runs/run-folder.js';
import { answersIn, readRun } from '../runs/scoring/run-scores.js';
import { readyServices } from '../services/ensure-services.js';
import { loadEnvironment } from '../services/environment.js';
import { withServicesOf } from '../services/session.js';
import { totalsOf } from '../views/end-report.js';
import type { Answer, Progress, Run, Summary, Turn } from './surface.js';

/** The environment with other settings. Throws UserError if there is none of such a name. */
export function environmentOf(settings: Readonly<Record<string, string>>): Environment {
  const names = Object.keys(environmentSchema.shape);
  const stranger = Object.keys(settings).find((name) => !names.includes(name));
  if (stranger === undefined) return loadEnvironment({ ...process.env, ...settings });
  throw new UserError(`${stranger} is no setting${didYouMean(stranger, names)}`);
}

/** Throws UserError if there is no such run. */
export async function storedRun(environment: Environment, run: RunId): Promise<Run> {
  const folder = RunFolder.of(environment, run);
  await folder.manifest();
  const summary = (): Promise<Summary> => summaryOf(folder);
  return {
    id: run,
    folder: folder.path,
    summary,
    answers: () => storedAnswers(folder),
    turns: (uuid, epoch = 1) => turnsOf(folder, uuid, epoch),
    follow: async (onProgress = () => undefined) => {
      const manifest = await folder.manifest();
      if (manifest.status !== 'running') return summary();
      const services = await readyServices(environment);
      if (services === undefined) throw notServed(run);
      const watcher = {
        onProgress: (progress: RunProgress) => onProgress(progressOf(progress, manifest)),
        onSilence: () => undefined,
      };
      const end = await withServicesOf(services, environment, (session) =>
        watchStartedRun(session, run, watcher),
      );
      onProgress(endedProgress(totalsOf(run, end), manifest));
      return summary();
    },
  };
}

/** @param manifest - of the run: its workflow counts the questions when it has begun */
export const progressOf = ({ summary, totals }: RunProgress, manifest: RunManifest): Progress => ({
  ...endedProgress(totals, manifest),
  ended: summary.ended,
  inFlight: summary.inFlight,
});

/** The progress of a run that has ended. */
export function endedProgress(totals: RunTotals, manifest: RunManifest): Progress {
  const { meanScore, scored, unscored } = meanOf(totals.scores);
  return {
    questions: samplesOf(manifest),
    ended: endedCount(totals),
    inFlight: 0,
    meanScore,
    scored,
    unscored,
    usd: totals.cost.usd,
    modelCalls: totals.usage.calls,
  };
}

const meanOf = ({
  total,
  scored,
  unscored,
}: RunTotals['scores']): Pick<Summary, 'meanScore' | 'scored' | 'unscored'> => ({
  meanScore: scored === 0 ? null : total / scored,
  scored,
  unscored,
});

async function summaryOf(folder: RunFolder): Promise<Summary> {
  const { manifest, results, scores } = await readRun(folder);
  const outcomes: Record<string, number> = {};
  for (const { outcome } of results) outcomes[outcome.kind] = (outcomes[outcome.kind] ?? 0) + 1;
  return {
    questions: samplesOf(manifest),
    ended: results.length,
    ...meanOf(totalOfScores(scores)),
    outcomes,
  };
}

async function storedAnswers(folder: RunFolder): Promise<readonly Answer[]> {
  return answersIn(await readRun(folder)).flatMap(({ item, result, score }) =>
    result === null ? [] : [answerOf(item, result, score)],
  );
}

export function answerOf(item: DatasetItem, result: Result, score: Score | null): Answer {
  const { uuid, epoch, answer, outcome, turns, costUsd, usage, startedAt, endedAt } = result;
  const { verdict, judging } = score ?? {};
  return {
    ...{ uuid, epoch, question: item.question, answer, outcome: outcome.kind },
    asking: result.asking ?? 1,
    failure: outcome.kind === 'infra-error' ? outcome.failure : null,
    outcomeMessage:
      'message' in outcome ? outcome.message : 'lastError' in outcome ? outcome.lastError : null,
    ...{ tags: item.tags, category: item.category ?? null, evaluator: evaluatorOf(item) ?? null },
    score: score?.score ?? null,
    rawScore: verdict?.kind === 'scored' ? (verdict.rawScore ?? null) : null,
    verdict: verdict?.kind ?? null,
    reason: verdict ? reasonOf(verdict) : null,
    scorer: score?.scorer ?? null,
    judges: (judging?.judges ?? []).map(({ model, calls, verdict: own }) => ({
      ...{ model, calls, score: own.kind === 'scored' ? own.score : null, reason: reasonOf(own) },
    })),
    judgeCostUsd: score?.judgeCostUsd ?? null,
    answeredBy: result.answeredBy ?? [],
    ...{ turns, costUsd, usage, startedAt, endedAt },
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
  };
}

const reasonOf = (verdict: Verdict): string | null =>
  verdict.kind === 'scored'
    ? (verdict.rationale ?? null)
    : [verdict.reason, ...(verdict.message === undefined ? [] : [verdict.message])].join(': ');

async function turnsOf(folder: RunFolder, uuid: string, epoch: number): Promise<readonly Turn[]> {
  const key = { uuid: questionIdSchema.parse(uuid), epoch };
  if (!(await folder.hasQuestion(key.uuid))) {
    throw new UserError(`run ${folder.run} has no question ${uuid}`);
  }
  return (await folder.turns(key)).map(({ reply, observation }) => ({
    turn: reply.turn,
    reply: reply.raw,
    action: reply.reading.kind === 'action' ? nameOfAction(reply.reading.action) : null,
    observation: observation?.content ?? null,
    costUsd: reply.costUsd,
  }));
}
