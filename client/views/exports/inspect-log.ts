import { v5 as uuid5 } from 'uuid';
import type { Result } from '../../../domain/agent/question-result.js';
import { addUsage, noUsage } from '../../../domain/models/usage.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { headlinesOf, type Headline } from '../../../domain/scoring/score-ledger.js';
import { scalesIn } from '../../../domain/scoring/scale.js';
import { scaleOfSample, scoredSamples } from '../../../domain/scoring/scored-sample.js';
import { generateConfig } from './inspect-events.js';
import { inspectUsage, type InspectObject } from './inspect-messages.js';
import { scoreNames } from './inspect-sample.js';
import type { RunRecords } from './recorded-question.js';

/** The version of the log format. */
const version = 2;

/** The content of `_journal/start.json`: the run as it is known before its start. */
export const inspectStart = ({ manifest, items }: RunRecords): InspectObject => ({
  version,
  eval: specOf(manifest, items),
  plan: planOf(manifest),
});

/** The content of `header.json`: the run without its questions. */
export function inspectHeader(records: RunRecords): InspectObject {
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

function specOf(manifest: RunManifest, items: RunRecords['items']): InspectObject {
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
    scorers: scalesIn(items.map((item) => scaleOfSample({ item }))).map((scale) => ({
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
function resultsOf({ manifest, items, results, scores }: RunRecords): InspectObject {
  const { epochs } = manifest.config;
  const samples = scoredSamples({ items, epochs, results, scores });
  return {
    total_samples: samples.length,
    completed_samples: results.filter(({ outcome }) => outcome.kind !== 'infra-error').length,
    scores: headlinesOf(samples).map(scoreOfHeadline),
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
      const costs = own.map(({ costUsd }) => costUsd);
      const cost = costs.includes(null)
        ? null
        : costs.reduce<number>((sum, each) => sum + (each ?? 0), 0);
      return [name, inspectUsage(usage, cost)];
    }),
  );
}
