import type { Cap } from '../domain/budget/amount.js';
import { panelName } from '../domain/judging/judging-config.js';
import { methods } from '../domain/methods/methods.js';
import { chatBody } from '../domain/models/chat-body.js';
import type { countRequestTokens } from '../domain/models/count-tokens.js';
import { openingMessages } from '../domain/questions/conversation.js';
import type { DatasetItem } from '../domain/questions/dataset-item.js';
import { endedForOutsideReasons } from '../domain/questions/outcome.js';
import type { Result } from '../domain/questions/result.js';
import { replyRecordSchema } from '../domain/questions/turn-record.js';
import { usualTurnMs } from '../domain/questions/turn-time.js';
import { turnRequest } from '../domain/questions/turn-request.js';
import {
  earlierWorkloads,
  type EarlierQuestion,
} from '../domain/runs/estimate/earlier-workloads.js';
import type { Opening } from '../domain/runs/estimate/question-calls.js';
import { estimateRun } from '../domain/runs/estimate/run-estimate.js';
import {
  estimateNotes,
  estimateRows,
  type EstimateToTell,
} from '../domain/runs/estimate/run-estimate-text.js';
import { usualWorkloads } from '../domain/runs/estimate/usual-workloads.js';
import { questionWindow } from '../domain/runs/question-window.js';
import { replyFile } from '../domain/runs/run-layout.js';
import type { RunManifest } from '../domain/runs/run-manifest.js';
import { mean, sum } from '../domain/statistics/mean.js';
import { alignColumns } from './align-columns.js';
import { priceRemedy } from './price-remedy.js';
import type { RunPlan } from './prepare-run.js';
import { listRuns, RunFolder, samplesOf } from './run-folder.js';
import { turnsBehind } from './turns-behind.js';

/** Runs looked at, the newest first, and prompts counted of each: what a person waits for in a second or two. */
const runsSeen = 5;
const promptsCounted = 5;

/** How much a run has still to do, what that will cost and how long it will take; null where nothing is left. */
export async function runEstimateText(plan: RunPlan, home: string): Promise<string | null> {
  const told = await estimateOf(plan, home);
  if (told.left === 0) return null;
  const { left, samples, method, model, concurrency } = told;
  return [
    `${left === samples ? left : `${left} of ${samples}`} questions, ${method} with ${model}, at most ${concurrency} at once`,
    alignColumns(estimateRows(told)),
    ...estimateNotes(told, priceRemedy),
    ...judgesNote(plan.manifest.config),
  ].join('\n');
}

/** How many answers need a judge is not known before they are there. */
const judgesNote = ({ judging }: RunManifest['config']): readonly string[] =>
  judging === null
    ? []
    : [
        `not counted above: for each answer that no comparison can score, a call of ${panelName(judging)} each, and up to ${judging.tries} where replies cannot be read`,
      ];

async function estimateOf(plan: RunPlan, home: string): Promise<EstimateToTell> {
  // Read only here: the tokenizers' tables are megabytes that few commands need.
  const { countRequestTokens: count } = await import('../domain/models/count-tokens.js');
  const { manifest, folder, items } = plan;
  const { config } = manifest;
  const method = methods[config.method];
  const results = plan.kind === 'continued' ? await folder.results() : [];
  const samples = samplesOf(manifest);
  const earlier = await earlierRuns(home, manifest, count);
  const asked = earlier.flatMap(({ questions }) => questions);
  const workloads = earlierWorkloads(method, asked, countedShare(earlier));
  const behind = await turnsBehind(plan, results);
  return {
    estimate: estimateRun({
      method,
      config,
      turnsBehind: behind,
      opening: openingOf(manifest, items, count),
      workloads: workloads ?? usualWorkloads(method, config),
      countedShare: workloads === null ? 1 : countedShare(earlier),
      cachedShare: workloads === null ? 0 : cachedShare(earlier),
      turnMs: usualTurnMs(earlier.flatMap(({ results }) => results)),
    }),
    basis:
      workloads === null
        ? { kind: 'usual' }
        : {
            kind: 'earlier',
            runs: earlier.filter(({ questions }) => questions.length > 0).length,
            questions: asked.length,
          },
    left: behind.length,
    samples,
    concurrency: questionWindow(config.concurrency),
    method: config.method,
    model: config.model.name,
    budget: leftOf(config.budget, results),
  };
}

/** A run of the same method and model, as far as it has gone. */
interface EarlierRun {
  readonly results: readonly Result[];
  readonly questions: readonly EarlierQuestion[];
  /** Prompt tokens of first calls as the provider counted them, and as they are counted here. */
  readonly provided: number;
  readonly counted: number;
}

async function earlierRuns(
  home: string,
  { config }: RunManifest,
  count: Count,
): Promise<readonly EarlierRun[]> {
  const runs = (await listRuns(home))
    .filter((other) => other.config.method === config.method)
    .filter((other) => other.config.model.name === config.model.name)
    .toReversed()
    .toSorted((a, b) => samplesOf(b) - samplesOf(a))
    .slice(0, runsSeen);
  return Promise.all(runs.map((other) => earlierRun(new RunFolder(home, other.run), other, count)));
}

async function earlierRun(
  folder: RunFolder,
  manifest: RunManifest,
  count: Count,
): Promise<EarlierRun> {
  const results = (await folder.results()).filter(
    ({ outcome }) => !endedForOutsideReasons[outcome.kind],
  );
  const paid = results.filter(({ usage }) => usage.promptTokens > 0 && usage.cacheHits === 0);
  if (paid.length === 0) return { results, questions: [], provided: 0, counted: 0 };
  const opening = openingOf(manifest, await folder.items(), count);
  const replies = await Promise.all(
    some(paid).map((key) => folder.readJson(replyFile(key, 1), replyRecordSchema)),
  );
  const firstCalls = replies.flatMap((reply) => reply?.tokens?.prompt ?? []);
  return {
    results,
    questions: paid.map(({ turns, usage: { promptTokens, completionTokens } }) => ({
      turns,
      promptTokens,
      completionTokens,
      windowSize: manifest.config.windowSize,
      opening,
    })),
    provided: sum(firstCalls),
    counted: opening.first * firstCalls.length,
  };
}

function countedShare(runs: readonly EarlierRun[]): number {
  const counted = sum(runs.map((run) => run.counted));
  return counted === 0 ? 1 : sum(runs.map(({ provided }) => provided)) / counted;
}

function cachedShare(runs: readonly EarlierRun[]): number {
  const usages = runs.flatMap(({ results }) => results.map(({ usage }) => usage));
  const prompt = sum(usages.map(({ promptTokens }) => promptTokens));
  return prompt === 0 ? 0 : sum(usages.map(({ cachedTokens }) => cachedTokens)) / prompt;
}

type Count = typeof countRequestTokens;

/** The mean over some of the questions: most of what they open with is the same. */
function openingOf(
  manifest: Pick<RunManifest, 'config' | 'store'>,
  items: readonly DatasetItem[],
  count: Count,
): Opening {
  const { config } = manifest;
  const tokens = (turn: number): number =>
    mean(
      some(items).map((item) => {
        const messages = openingMessages(manifest, item, {}, turn);
        return count(chatBody(turnRequest(config, turn, messages))).total;
      }),
    );
  const first = tokens(1);
  const { kind } = methods[config.method];
  return { first, later: kind === 'two-stage' || kind === 'graph' ? tokens(2) : first };
}

/** At most `promptsCounted` of them, spread over all. */
function some<T>(all: readonly T[]): readonly T[] {
  const step = Math.max(1, all.length / promptsCounted);
  return all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

function leftOf({ usd, tokens }: Cap, results: readonly Result[]): Cap {
  const spent = (of: (result: Result) => number): number => sum(results.map(of));
  return {
    usd: usd === null ? null : Math.max(0, usd - spent(({ costUsd }) => costUsd ?? 0)),
    tokens:
      tokens === null
        ? null
        : Math.max(0, tokens - spent(({ usage }) => usage.promptTokens + usage.completionTokens)),
  };
}
