import { v5 as uuid5 } from 'uuid';
import type { Result } from '../../../domain/agent/question-result.js';
import { sumOfCosts } from '../../../domain/agent/turn-record.js';
import { addUsage, noUsage } from '../../../domain/models/usage.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { headlinesOf, type Headline } from '../../../domain/scoring/score-ledger.js';
import { scalesIn, onScale, scaleOf, type Scale } from '../../../domain/scoring/verdict.js';
import { scaleOfAnswer } from '../../../domain/scoring/answer.js';
import { preview } from '../../../domain/formats/text.js';
import { evaluatorOf, goldTexts } from '../../../domain/scoring/dataset-item.js';
import { answersIn, type RunFiles } from '../../runs/scoring/run-scores.js';
import {
  generateConfig,
  inspectUsage,
  type InspectObject,
  turnEvents,
  eventAt,
  inspectMessages,
  inspectOutput,
  secondsBetween,
} from './inspect-messages.js';
import { modelOf, recordsOf, type RecordedQuestion } from './recorded-question.js';

/** The version of the log format. */
const version = 2;

/** The content of `_journal/start.json`: the run as it is known before its start. */
export const inspectStart = ({ manifest, items }: RunFiles): InspectObject => ({
  version,
  eval: specOf(manifest, items),
  plan: planOf(manifest),
});

/** The content of `header.json`: the run without its questions. */
export function inspectHeader(records: RunFiles): InspectObject {
  const { manifest, results } = records;
  return {
    version,
    status: { running: 'started', done: 'success', cancelled: 'cancelled' }[manifest.status],
    eval: specOf(manifest, records.items),
    plan: planOf(manifest),
    results: resultsOf(records),
    stats: {
      started_at: manifest.startedAt,
      completed_at: manifest.endedAt ?? '',
      model_usage: usageByModel(manifest, results),
    },
    invalidated: false,
  };
}

function specOf(manifest: RunManifest, items: RunFiles['items']): InspectObject {
  const { run, dataset, config, store, versions, forkedFrom } = manifest;
  const task = dataset.path.replace(/^.*\//, '').replace(/\.\w+$/, '');
  return {
    eval_id: uuid5(`turnwise run ${run} ${manifest.startedAt}`, uuid5.URL),
    run_id: run,
    created: manifest.startedAt,
    task,
    task_id: uuid5(`turnwise dataset ${dataset.fingerprint}`, uuid5.URL),
    task_version: 0,
    task_args: store === null ? {} : { store: store.name },
    solver: config.method,
    solver_args: solverArgs(manifest),
    dataset: {
      name: task,
      location: dataset.path,
      samples: dataset.items,
      sample_ids: items.map(({ uuid }) => uuid),
      shuffled: false,
    },
    model: config.model.name,
    model_base_url: config.model.baseUrl,
    model_generate_config: generateConfig(manifest),
    config: {
      epochs: config.epochs,
      epochs_reducer: ['mean'],
      fail_on_error: false,
      turn_limit: config.maxTurns,
      token_limit: config.questionBudget.tokens ?? undefined,
      cost_limit: config.questionBudget.usd ?? undefined,
      time_limit:
        config.questionTimeLimitMs === null
          ? undefined
          : Math.ceil(config.questionTimeLimitMs / 1000),
    },
    packages: { turnwise: versions.turnwise },
    metadata: {
      run,
      dataset_fingerprint: dataset.fingerprint,
      ...(store && { store: store.name, store_fingerprint: store.fingerprint }),
      prompts: versions.prompts,
      git_revision: versions.gitRevision ?? undefined,
      forked_from: forkedFrom,
    },
    scorers: scalesIn(items.map((item) => scaleOfAnswer({ item, score: null }))).map((scale) => ({
      name: scoreNames[scale],
      metrics: [{ name: 'mean' }, { name: 'stderr' }],
    })),
  };
}

const solverArgs = ({ config }: RunManifest): InspectObject => ({
  max_turns: config.maxTurns,
  window: config.windowSize,
  context_tokens: config.contextTokens ?? undefined,
  action_format: config.actionFormat,
  observation_format: config.observationFormat,
  strict: config.strict,
});

const planOf = (manifest: RunManifest): InspectObject => ({
  name: 'plan',
  steps: [{ solver: manifest.config.method, params: solverArgs(manifest) }],
  config: generateConfig(manifest),
});

/** The run's headlines as Inspect's results. Questions without a score are in the metadata, and do not enter the mean. */
function resultsOf(files: RunFiles): InspectObject {
  const answers = answersIn(files);
  return {
    total_samples: answers.length,
    completed_samples: files.results.filter(({ outcome }) => outcome.kind !== 'infra-error').length,
    scores: headlinesOf(answers).map(scoreOfHeadline),
  };
}

function scoreOfHeadline(headline: Headline): InspectObject {
  const { scale, scored, verdicts, score, bounds } = headline;
  const metrics = score && {
    mean: score.mean,
    // A standard error of 0 only means that all clusters have the same score, so it is left out.
    ...(score.standardError && { stderr: score.standardError }),
    interval_low: score.interval.low,
    interval_high: score.interval.high,
  };
  return {
    name: scoreNames[scale],
    scorer: scoreNames[scale],
    scored_samples: scored,
    unscored_samples: headline.samples - (verdicts['not-ended'] ?? 0) - scored,
    params: {},
    metrics: Object.fromEntries(
      Object.entries(metrics ?? {}).map(([name, value]) => [name, { name, value, params: {} }]),
    ),
    metadata: {
      scorable: headline.scorable,
      unresolved: headline.unresolved,
      rulings: headline.rulings && {
        ...headline.rulings.counts,
        mean_without: headline.rulings.without.score?.mean,
      },
      worst: bounds?.worst,
      best: bounds?.best,
    },
  };
}

function usageByModel(manifest: RunManifest, results: readonly Result[]): InspectObject {
  const models = new Set(results.map(({ model }) => model ?? manifest.config.model.name));
  return Object.fromEntries(
    [...models].map((name) => {
      const own = results.filter(({ model }) => (model ?? manifest.config.model.name) === name);
      const usage = own.map((result) => result.usage).reduce(addUsage, noUsage);
      return [name, inspectUsage(usage, sumOfCosts(own.map(({ costUsd }) => costUsd)))];
    }),
  );
}

interface InspectSample {
  /** The content of `samples/ID_epoch_N.json`. */
  readonly sample: InspectObject;
  /** Its entry in `summaries.json`, kept short for runs of thousands of questions. */
  readonly summary: InspectObject;
}

export function inspectSample(question: RecordedQuestion): InspectSample {
  const { item, result } = question;
  const { uuid, question: input, ...others } = item;
  const target = goldTexts(evaluatorOf(item));
  const messages = inspectMessages(question);
  const scores = inspectScores(question);
  const { limit, error } = inspectEnding(question);
  const { events, messages: pool } = turnEvents(question);
  const begin = eventAt(result, result.startedAt);
  return {
    sample: {
      ...common(question),
      input,
      target,
      messages,
      output: inspectOutput(question),
      scores,
      metadata: { ...turnwiseMetadata(question), ...recordsOf(question), item: others },
      store: {},
      events: [
        {
          event: 'sample_init',
          uuid: 'begin',
          ...begin,
          sample: { input, target, id: uuid },
          state: {},
        },
        ...events,
        ...endEvents(question),
      ],
      events_data: { messages: pool, calls: [] },
      attachments: {},
      limit,
      error,
    },
    summary: {
      ...common(question),
      input: preview(input, summaryLength),
      target: target.map((text) => preview(text, summaryLength)),
      metadata: turnwiseMetadata(question),
      scores: scores && {
        [scoreNames[scaleOf(question.score?.scorer)]]: {
          value: shownScore(question),
          answer: preview(result.answer ?? '', summaryLength),
        },
      },
      error: error?.message,
      limit: limit?.type,
      retries: result.usage.retries,
      completed: true,
      message_count: messages.length,
    },
  };
}

const summaryLength = 1000;

const common = (question: RecordedQuestion): InspectObject => {
  const { manifest, item, result, turns } = question;
  return {
    id: item.uuid,
    epoch: result.epoch,
    uuid: `${manifest.run}/${item.uuid}/${result.epoch}`,
    model_usage: { [modelOf(question)]: inspectUsage(result.usage, result.costUsd) },
    started_at: result.startedAt,
    completed_at: result.endedAt,
    total_time: secondsBetween(result.startedAt, result.endedAt),
    working_time: workingSeconds(question),
    turn_count: turns.length,
  };
};

/** Figures that Inspect's schema has no field for. */
const turnwiseMetadata = (question: RecordedQuestion): InspectObject => {
  const { outcome, usage, costUsd, trajectory } = question.result;
  return {
    outcome: outcome.kind,
    unscored: unscoredReason(question),
    evaluator: question.score?.scorer ?? undefined,
    calls: usage.calls,
    retries: usage.retries,
    cache_hits: usage.cacheHits,
    cost_usd: costUsd ?? undefined,
    judge_cost_usd: question.score?.judgeCostUsd ?? undefined,
    trajectory,
  };
};

/** The time of model calls and tools, without waits between turns. */
const workingSeconds = ({ turns }: RecordedQuestion): number =>
  turns
    .flatMap(({ reply, observation }) => (observation ? [reply, observation] : [reply]))
    .reduce((sum, { startedAt, endedAt }) => sum + secondsBetween(startedAt, endedAt), 0);

/** Inspect's limit or error for a question that was stopped. Both are undefined if the model ended the question itself. */
interface InspectEnding {
  readonly error?: InspectObject & { readonly message: string };
  readonly limit?: { readonly type: string; readonly limit: number };
}

export function inspectEnding({ manifest, result }: RecordedQuestion): InspectEnding {
  const { questionBudget, questionTimeLimitMs, contextTokens } = manifest.config;
  const { outcome, usage } = result;
  switch (outcome.kind) {
    case 'answered':
    case 'abstained':
    case 'refused':
    case 'unparseable':
      return {};
    case 'turn-limit':
      return { limit: { type: 'turn', limit: outcome.maxTurns } };
    case 'context-overflow':
      return { limit: { type: 'context', limit: contextTokens ?? usage.promptTokens } };
    case 'budget-stop':
      return {
        limit:
          questionBudget.usd === null
            ? { type: 'token', limit: questionBudget.tokens ?? usage.promptTokens }
            : { type: 'cost', limit: questionBudget.usd },
      };
    case 'deadline':
      return {
        limit: {
          type: 'time',
          limit:
            questionTimeLimitMs === null
              ? secondsBetween(result.startedAt, result.endedAt)
              : questionTimeLimitMs / 1000,
        },
      };
    case 'cancelled':
      return { limit: { type: 'operator', limit: 1 } };
    case 'infra-error':
      return {
        error: {
          message: `${outcome.failure}: ${outcome.message}`,
          traceback: '',
          traceback_ansi: '',
        },
      };
  }
}

/** The last events of the transcript: the limit or the error, and the score or the reason for its absence. */
function endEvents(question: RecordedQuestion): readonly InspectObject[] {
  const { item, result } = question;
  const { limit, error } = inspectEnding(question);
  const reason = unscoredReason(question);
  const at = eventAt(result, result.endedAt);
  const message = `the question ended as ${result.outcome.kind}`;
  return [
    // Inspect's transcripts have no event for a full context.
    ...(limit && limit.type !== 'context'
      ? [{ event: 'sample_limit', uuid: 'limit', ...at, ...limit, message }]
      : []),
    ...(error ? [{ event: 'error', uuid: 'error', ...at, error }] : []),
    ...(reason === undefined
      ? []
      : [
          {
            event: 'info',
            uuid: 'unscored',
            ...at,
            source: 'turnwise',
            data: `unscored (${reason})`,
          },
        ]),
    ...Object.entries(inspectScores(question) ?? {}).map(([scorer, score]) => ({
      event: 'score',
      uuid: 'score',
      ...at,
      score,
      target: goldTexts(evaluatorOf(item)),
      scorer,
    })),
  ];
}

/** The names under which Inspect keeps a question's score. It averages each name on its own. */
const scoreNames: Readonly<Record<Scale, string>> = {
  unit: 'score',
  'one-to-five': 'match_score',
};

/** In numbers of its scale. */
function shownScore({ score }: RecordedQuestion): number | undefined {
  if (score?.verdict.kind !== 'scored') return undefined;
  return onScale(score.verdict.score, scaleOf(score.scorer));
}

/** Undefined for an unscored answer, so that Inspect leaves it out of every mean instead of counting it as 0. */
function inspectScores(question: RecordedQuestion): InspectObject | undefined {
  const { result, score } = question;
  if (score?.verdict.kind !== 'scored') return undefined;
  const { rationale, rawScore } = score.verdict;
  return {
    [scoreNames[scaleOf(score.scorer)]]: {
      value: shownScore(question),
      answer: result.answer ?? undefined,
      explanation: rationale,
      metadata: { evaluator: score.scorer, raw_score: rawScore, judging: score.judging },
    },
  };
}

/** Why there is no score, such as `needs-judge`; undefined if there is one. */
const unscoredReason = ({ score }: RecordedQuestion): string | undefined => {
  if (score?.verdict.kind !== 'unscored') return undefined;
  const { reason, message } = score.verdict;
  return message === undefined ? reason : `${reason}: ${message}`;
};
