import { openingMessages } from '../../domain/agent/conversation.js';
import { methodOf } from '../../domain/agent/methods.js';
import {
  endedForOutsideReasons,
  resultSchema,
  type Result,
} from '../../domain/agent/question-result.js';
import { turnRequest } from '../../domain/agent/turn-request.js';
import type { Cap } from '../../domain/budget/amount.js';
import { keyText, type SampleKey } from '../../domain/ids.js';
import { chatBody, type ChatBody } from '../../domain/models/chat-request.js';
import { contentText } from '../../domain/models/chat-message.js';
import { countTokens } from '../../domain/models/tokens.js';
import type { ModelConfig } from '../../domain/models/model-settings.js';
import { sampleKeysOf } from '../../domain/runs/dataset.js';
import { amountOfProbes } from '../../domain/runs/probes.js';
import { questionWindow } from '../../domain/runs/run-config.js';
import {
  estimateRun,
  type RunEstimate,
  earlierWorkloads,
  usualWorkloads,
  type EarlierQuestion,
  type Opening,
} from '../../domain/runs/run-estimate.js';
import { resultsFile } from '../../domain/runs/run-layout.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import { usualTurnMs } from '../../domain/runs/slow-question.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import { mean, sum } from '../../domain/statistics/means.js';
import { isLarge, readLatest } from './latest-results.js';
import type { RunPlan } from './prepare-run.js';
import { listRuns, RunFolder, samplesOf } from './run-folder.js';

/** What an estimate is based on. */
export type EstimateBasis =
  | { readonly kind: 'earlier'; readonly runs: number; readonly questions: number }
  | { readonly kind: 'usual' };

export interface EstimateReport {
  readonly estimate: RunEstimate;
  readonly basis: EstimateBasis;
  /** Questions still to answer, and all questions, each counted once for every epoch. */
  readonly left: number;
  readonly samples: number;
  readonly concurrency: number;
  readonly method: string;
  readonly model: string;
  /** The run's budget less what it has spent. */
  readonly budget: Cap;
}

/** The most runs that are read, and prompts that are counted in each: they keep the estimate within a second or two. */
const runsSeen = 5;
const promptsCounted = 5;

/** What is left of a planned run, and what that will take. */
export async function estimateOf(plan: RunPlan, home: string): Promise<EstimateReport> {
  const { manifest, folder, items } = plan;
  const { config } = manifest;
  const method = methodOf(config);
  const ended = plan.kind === 'continued' ? await folder.readLines(resultsFile, paidSchema) : [];
  const samples = samplesOf(manifest);
  const earlier = await earlierRuns(home, plan);
  const questions = earlier.flatMap(({ questions }) => questions);
  const workloads = earlierWorkloads(method, questions, countedShare(earlier));
  const behind = await turnsBehind(plan, ended);
  return {
    estimate: estimateRun({
      method,
      config,
      turnsBehind: behind,
      opening: openingOf(manifest, items, plan.schemaOf),
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
            questions: questions.length,
          },
    left: behind.length,
    samples,
    concurrency: questionWindow(config.concurrency),
    method: config.method,
    model: config.model.name,
    budget: leftOf(manifest, ended),
  };
}

/**
 * For each sample that a run has left, how many of its turns are paid for: its own, or those it takes over.
 * @param ended - samples of the run that have ended
 */
async function turnsBehind(
  { folder, manifest, items, fork }: RunPlan,
  ended: readonly SampleKey[],
): Promise<readonly number[]> {
  const over = new Set([...ended, ...(fork?.ended ?? [])].map(keyText));
  const left = sampleKeysOf(items, manifest.config.epochs).filter((key) => !over.has(keyText(key)));
  const { from = folder, fromTurn = Infinity, kept } = fork ?? {};
  const taken = kept && new Set(kept.map(keyText));
  const begun = await from.begun();
  return Promise.all(
    left.map(async (key) => {
      if (!begun.has(key) || taken?.has(keyText(key)) === false) return 0;
      return (await from.repliedTurns(key)).filter((turn) => turn < fromTurn).length;
    }),
  );
}

/** What is read of each question that has ended: a large run has a hundred thousand. */
const paidSchema = resultSchema.pick({ uuid: true, epoch: true, usage: true, costUsd: true });
type PaidQuestion = Pick<Result, 'usage' | 'costUsd'>;

/** The ended part of a run of the same method and model: of a large one, the latest. */
interface EarlierRun {
  readonly results: readonly Result[];
  readonly questions: readonly EarlierQuestion[];
  /** Prompt tokens of first calls, as the provider counted them and as turnwise counts them. */
  readonly provided: number;
  readonly counted: number;
}

async function earlierRuns(
  home: string,
  { folder: { storage }, manifest: { config, run }, items, schemaOf }: RunPlan,
): Promise<readonly EarlierRun[]> {
  const runs = (await listRuns(home, storage))
    .filter((other) => other.config.method === config.method)
    .filter(({ config: { model } }) => isSameModel(model, config.model))
    .toReversed()
    .toSorted((a, b) => samplesOf(b) - samplesOf(a))
    .slice(0, runsSeen);
  return Promise.all(
    runs.map((other) => {
      const folder = new RunFolder(home, other.run, storage);
      const itemsOf = (): Promise<readonly DatasetItem[]> =>
        other.run === run ? Promise.resolve(items) : folder.items();
      return earlierRun(folder, other, itemsOf, schemaOf);
    }),
  );
}

/** A model of the same name may be another one at another address. */
const isSameModel = (a: ModelConfig, b: ModelConfig): boolean =>
  a.name === b.name && a.baseUrl === b.baseUrl;

async function earlierRun(
  folder: RunFolder,
  manifest: RunManifest,
  itemsOf: () => Promise<readonly DatasetItem[]>,
  schemaOf: RunPlan['schemaOf'],
): Promise<EarlierRun> {
  const all = isLarge(manifest)
    ? (await readLatest(folder, manifest)).results
    : await folder.results();
  const results = all.filter(({ outcome }) => !endedForOutsideReasons[outcome.kind]);
  const paid = results.filter(({ usage }) => usage.promptTokens > 0 && usage.cacheHits === 0);
  if (paid.length === 0) return { results, questions: [], provided: 0, counted: 0 };
  const opening = openingOf(manifest, await itemsOf(), schemaOf);
  const replies = await Promise.all(spread(paid).map((key) => folder.turn(key, 1)));
  const firstCalls = replies.flatMap((turn) => turn?.reply.tokens?.prompt ?? []);
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

/** The mean over some of the questions, since most of their opening messages are equal. */
function openingOf(
  manifest: Pick<RunManifest, 'config' | 'store'>,
  items: readonly DatasetItem[],
  schemaOf: RunPlan['schemaOf'],
): Opening {
  const { config } = manifest;
  const tokens = (turn: number): number =>
    mean(
      spread(items).map((item) => {
        const messages = openingMessages(manifest, item, {}, turn, schemaOf(item));
        return countOf(chatBody(turnRequest(config, turn, messages)));
      }),
    );
  const first = tokens(1);
  const { kind } = methodOf(config);
  return { first, later: kind === 'two-stage' || kind === 'graph' ? tokens(2) : first };
}

/**
 * Tokens of a request by cl100k_base, whatever the model's encoding: it is loaded anyway, building another takes 0.4 s,
 * and earlier runs correct the difference.
 */
const countOf = ({ messages, tools }: ChatBody): number =>
  sum(messages.map(({ content }) => countTokens(contentText(content ?? [])))) +
  (tools === undefined ? 0 : countTokens(JSON.stringify(tools)));

/** At most `promptsCounted` items, spread evenly over all. */
function spread<T>(all: readonly T[]): readonly T[] {
  const step = Math.max(1, all.length / promptsCounted);
  return all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

function leftOf({ config, probes }: RunManifest, ended: readonly PaidQuestion[]): Cap {
  const { usd, tokens } = config.budget;
  const probed = amountOfProbes(probes);
  const spent = (of: (question: PaidQuestion) => number): number => sum(ended.map(of));
  const left = (cap: number | null, taken: number): number | null =>
    cap === null ? null : Math.max(0, cap - taken);
  return {
    usd: left(usd, probed.usd + spent(({ costUsd }) => costUsd ?? 0)),
    tokens: left(
      tokens,
      probed.tokens + spent(({ usage }) => usage.promptTokens + usage.completionTokens),
    ),
  };
}
