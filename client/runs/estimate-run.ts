import { holdsRows } from '../../domain/agent/turn-plan.js';
import { openingMessages, openingShortfall, turnRequest } from '../../domain/agent/conversation.js';
import { methodOf } from '../../domain/agent/methods.js';
import {
  endedForOutsideReasons,
  resultSchema,
  type Result,
} from '../../domain/agent/question-result.js';
import { capLeft, sum as sumOfAmounts, type Cap } from '../../domain/budget/amount.js';
import { keyText, type SampleKey } from '../../domain/ids.js';
import { chatBody, contentText, type ChatBody } from '../../domain/models/chat-message.js';
import { cacheEffect, type CacheEffect } from '../../domain/models/usage.js';
import { countTokens } from '../../domain/models/tokens.js';
import { groupBy, mean, sum } from '../../domain/statistics/means.js';
import { sampleKeysOf } from '../../domain/runs/dataset.js';
import { amountOfProbes } from '../../domain/runs/probes.js';
import { questionWindow, usualConcurrency } from '../../domain/runs/run-config.js';
import {
  estimateRun,
  type RunEstimate,
  earlierWorkloads,
  usualWorkloads,
  type EarlierQuestion,
  type Opening,
} from '../../domain/runs/run-estimate.js';
import { resultsFile, type RunManifest } from '../../domain/runs/run-manifest.js';
import { usualTurnMs } from '../../domain/runs/workflow-details.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import { storedSchema } from './database-qa/question-databases.js';
import { readRows } from './database-qa/read-rows.js';
import { isLarge, readLatest } from './latest-results.js';
import type { RunPlan } from './prepare-run.js';
import { listRuns, RunFolder, samplesOf } from './run-folder.js';

/** What an estimate is based on. */
type EstimateBasis =
  | {
      readonly kind: 'earlier';
      readonly runs: number;
      readonly questions: number;
      /** Whether they are answers to the questions that are left. */
      readonly ofSame: boolean;
    }
  | {
      readonly kind: 'usual';
      /** Of the same method and model, none of whose answers tells what it took. */
      readonly runs: number;
      /** Those at another address, where it may be another model. */
      readonly elsewhere: number;
    };

export interface EstimateReport {
  readonly estimate: RunEstimate;
  readonly basis: EstimateBasis;
  /** Questions still to answer, and all questions, each counted once for every epoch. */
  readonly left: number;
  readonly samples: number;
  readonly concurrency: number;
  /** What the provider's cache has of the likely case, if its share is that of the earlier runs. Null if there was none. */
  readonly cache: CacheEffect | null;
  /** Calls are sent in batches, at whose prices the estimate is. Its times are of calls that are sent at once. Absent for others. */
  readonly isBatched?: true;
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
  const isBatched = config.model.batch !== undefined;
  const ended = plan.kind !== 'new' ? await folder.readLines(resultsFile, paidSchema) : [];
  const left = leftSamples(plan, ended);
  const asked = new Set(left.map(({ uuid }) => uuid));
  const leftItems = items.filter(({ uuid }) => asked.has(uuid));
  const { opening, askedShare, isLike } = await openingOfPlan(plan, leftItems);
  const { runs: earlier, here, elsewhere } = await earlierRuns(home, plan, isLike);
  const all = earlier.flatMap(({ questions }) => questions);
  const same = answersTo(leftItems, all);
  const questions = same ?? all;
  const share = countedShare(earlier);
  const usual = usualWorkloads(method, config);
  const workloads = earlierWorkloads(method, questions, share, usual);
  const cached = workloads === null ? 0 : cachedShare(earlier);
  const estimate = estimateRun({
    ...{ method, opening, askedShare, cachedShare: cached },
    config: isBatched ? { ...config, concurrency: usualConcurrency() } : config,
    turnsBehind: await turnsBehind(plan, left),
    workloads: workloads ?? usual,
    turnMs: usualTurnMs(earlier.flatMap(({ results, isBatched }) => (isBatched ? [] : results))),
  });
  const { promptTokens: prompt, completionTokens: completion } = estimate.likely;
  return {
    estimate,
    cache: cacheEffect({ prompt, completion, cached: prompt * cached }, config.model.price),
    basis:
      workloads === null
        ? { kind: 'usual', runs: here, elsewhere }
        : {
            kind: 'earlier',
            runs: earlier.filter(({ questions }) => questions.length > 0).length,
            questions: questions.length,
            ofSame: same !== null,
          },
    left: left.length,
    samples: samplesOf(manifest),
    concurrency: questionWindow(config.concurrency),
    ...(isBatched && { isBatched }),
    method: config.method,
    model: config.model.name,
    budget: leftOf(manifest, ended),
  };
}

/** The earlier answers to the questions that are left; null unless at least half of these were answered. */
function answersTo(
  items: readonly DatasetItem[],
  earlier: readonly AskedBefore[],
): readonly AskedBefore[] | null {
  const asked = new Set(items.map(askedText));
  const own = earlier.filter(({ asked: text }) => asked.has(text));
  return new Set(own.map(({ asked: text }) => text)).size * 2 < asked.size || own.length === 0
    ? null
    : own;
}

/** What makes a question the same one in another run. */
const askedText = ({ uuid, question, database }: DatasetItem): string =>
  JSON.stringify([uuid, question, database]);

type AskedBefore = EarlierQuestion & { readonly asked: string };

/** The samples of a plan that have not ended, in the run itself or in what it takes over. */
function leftSamples({ manifest, items, fork }: RunPlan, ended: readonly SampleKey[]) {
  const over = new Set([...ended, ...(fork?.ended ?? [])].map(keyText));
  return sampleKeysOf(items, manifest.config.epochs).filter((key) => !over.has(keyText(key)));
}

/** For each sample that a run has left, how many of its turns are paid for: its own, or those it takes over. */
async function turnsBehind(
  { folder, fork }: RunPlan,
  left: readonly SampleKey[],
): Promise<readonly number[]> {
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
  readonly isBatched: boolean;
  readonly results: readonly Result[];
  readonly questions: readonly AskedBefore[];
  /** Prompt tokens of first calls, as the provider counted them and as turnwise counts them. */
  readonly provided: number;
  readonly counted: number;
}

async function earlierRuns(
  home: string,
  { folder: { storage }, manifest: { config, run, dataset }, items }: RunPlan,
  isLike: PlannedOpening['isLike'],
): Promise<{
  readonly runs: readonly EarlierRun[];
  readonly here: number;
  readonly elsewhere: number;
}> {
  const all = (await listRuns(home, storage))
    .filter((other) => other.config.method === config.method)
    .filter((other) => other.config.model.name === config.model.name);
  // A model of the same name may be another one at another address.
  const here = all.filter(({ config: { model } }) => model.baseUrl === config.model.baseUrl);
  const isSame = (other: RunManifest): boolean => other.dataset.fingerprint === dataset.fingerprint;
  const seen = here
    .toReversed()
    .toSorted((a, b) => samplesOf(b) - samplesOf(a))
    .toSorted((a, b) => Number(isSame(b)) - Number(isSame(a)))
    .slice(0, runsSeen);
  const runs = await Promise.all(
    seen.map((other) => {
      const folder = new RunFolder(home, other.run, storage);
      const itemsOf = (): Promise<readonly DatasetItem[]> =>
        other.run === run ? Promise.resolve(items) : folder.items();
      return earlierRun(folder, other, itemsOf, isLike);
    }),
  );
  const others = here.filter((other) => other.run !== run);
  return { runs, here: others.length, elsewhere: all.length - here.length };
}

async function earlierRun(
  folder: RunFolder,
  manifest: RunManifest,
  itemsOf: () => Promise<readonly DatasetItem[]>,
  isLike: PlannedOpening['isLike'],
): Promise<EarlierRun> {
  const all = isLarge(manifest)
    ? (await readLatest(folder, manifest)).results
    : await folder.results();
  const results = all.filter(({ outcome }) => !endedForOutsideReasons[outcome.kind]);
  const paid = results.filter(({ usage }) => usage.promptTokens > 0 && usage.cacheHits === 0);
  const { config } = manifest;
  const isBatched = config.model.batch !== undefined;
  if (paid.length === 0) return { isBatched, results, questions: [], provided: 0, counted: 0 };
  const itemOf = new Map<string, DatasetItem>((await itemsOf()).map((item) => [item.uuid, item]));
  const opened: AskedQuestion[] = [];
  const provided: number[] = [];
  const like = new Set([...itemOf.values()].filter(isLike).map(({ uuid }) => uuid));
  const alike = paid.filter(({ uuid }) => like.has(uuid));
  for (const key of spread(alike.length > 0 ? alike : paid)) {
    const item = itemOf.get(key.uuid);
    const tokens = (await folder.turn(key, 1))?.reply.tokens?.prompt;
    if (item === undefined) continue;
    const context = holdsRows(methodOf(config)) ? await folder.questionContext(key) : null;
    const schema = await storedSchema(folder.place, manifest, item);
    opened.push({ item, schema, context: context?.context ?? undefined });
    if (tokens !== undefined) provided.push(tokens);
  }
  const opening = openingOf(manifest, opened);
  const { windowSize, maxTurns, model } = config;
  return {
    isBatched,
    results,
    questions: paid.map(({ uuid, turns, usage: { promptTokens, completionTokens } }) => {
      const item = itemOf.get(uuid);
      return {
        ...{ turns, promptTokens, completionTokens, windowSize, maxTurns, opening },
        maxTokens: model.maxTokens,
        asked: item === undefined ? '' : askedText(item),
      };
    }),
    provided: sum(provided),
    counted: opening.first * provided.length,
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

/** A question with what its opening messages hold. */
interface AskedQuestion {
  readonly item: DatasetItem;
  readonly schema: string | null;
  /** @defaultValue unknown */
  readonly context?: string | undefined;
}

interface PlannedOpening {
  readonly opening: Opening;
  /** The share of the questions whose request fits the model's context. */
  readonly askedShare: number;
  /** Whether the request of a question holds the same rows as one of these. */
  readonly isLike: (item: DatasetItem) => boolean;
}

/** The opening of what a plan has left. */
async function openingOfPlan(
  { manifest, folder, schemaOf }: RunPlan,
  items: readonly DatasetItem[],
): Promise<PlannedOpening> {
  const asked = (item: DatasetItem): AskedQuestion => ({ item, schema: schemaOf(item) });
  if (!holdsRows(methodOf(manifest.config))) {
    const opening = openingOf(manifest, spread(items).map(asked));
    return { opening, askedShare: 1, isLike: () => true };
  }
  // The rows are most of a prompt, and differ by database.
  const name = ({ database }: DatasetItem): string => JSON.stringify([database]);
  const groups = spread([...groupBy(items, name).values()]);
  const firsts = groups.flatMap(([item]) => item ?? []);
  const read = await readRows(folder.place, { manifest, items: firsts });
  const fitting = groups.map((own, index) => {
    const rows = read[index];
    const context = rows?.kind === 'rows' ? rows.text : undefined;
    const isAsked = (item: DatasetItem): boolean =>
      rows?.kind !== 'overflow' &&
      openingShortfall(manifest, item, schemaOf(item), context) === null;
    const some = spread(own).filter(isAsked);
    const { first } = openingOf(
      manifest,
      some.map((item) => ({ ...asked(item), context })),
    );
    const questions = (own.length * some.length) / spread(own).length;
    return { questions, first, database: some[0] && name(some[0]) };
  });
  const questions = sum(fitting.map((each) => each.questions));
  const tokens = sum(fitting.map((each) => each.questions * each.first));
  const first = tokens / Math.max(1, questions);
  const held = new Set(fitting.map(({ database }) => database));
  return {
    opening: { first, later: first },
    askedShare: questions / groups.flat().length,
    isLike: (item) => held.has(name(item)),
  };
}

/** The mean over some questions, since most of their opening messages are equal. */
function openingOf(
  manifest: Pick<RunManifest, 'config' | 'store'>,
  asked: readonly AskedQuestion[],
): Opening {
  const { config } = manifest;
  const tokens = (turn: number): number =>
    mean(
      asked.map(({ item, schema, context }) => {
        const messages = openingMessages(manifest, item, {}, turn, schema, context);
        return countOf(chatBody(turnRequest(config, turn, messages)));
      }),
    );
  const first = asked.length === 0 ? 0 : tokens(1);
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

const leftOf = ({ config, probes }: RunManifest, ended: readonly PaidQuestion[]): Cap => {
  const ofQuestions = ended.map(({ costUsd, usage }) => ({
    usd: costUsd ?? 0,
    tokens: usage.promptTokens + usage.completionTokens,
  }));
  return capLeft(config.budget, sumOfAmounts([amountOfProbes(probes), ...ofQuestions]));
};
