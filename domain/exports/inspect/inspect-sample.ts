import { preview } from '../../preview.js';
import { goldTexts } from '../../scoring/gold-texts.js';
import { modelOf, type RecordedQuestion } from '../recorded-question.js';
import { inspectMessages, inspectOutput } from './inspect-conversation.js';
import { endEvents, inspectEnding } from './inspect-ending.js';
import { turnEvents } from './inspect-events.js';
import { eventAt, secondsBetween, type InspectObject } from './inspect-object.js';
import { inspectScores, scoreName, unscoredReason } from './inspect-scores.js';
import { inspectUsage } from './inspect-usage.js';

export interface InspectSample {
  /** What `samples/ID_epoch_N.json` holds. */
  readonly sample: InspectObject;
  /** Its part of `summaries.json`, short enough for a list of thousands. */
  readonly summary: InspectObject;
}

export function inspectSample(question: RecordedQuestion): InspectSample {
  const { item, result } = question;
  const { uuid, question: input, ...others } = item;
  const target = goldTexts(item.evaluator);
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
      metadata: { ...standing(question), item: others },
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
      metadata: standing(question),
      scores: scores && {
        [scoreName]: {
          value: question.score?.score,
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

/** What Inspect has no name for. */
const standing = (question: RecordedQuestion): InspectObject => {
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

/** Of model and tools, waiting between turns apart. */
const workingSeconds = ({ turns }: RecordedQuestion): number =>
  turns
    .flatMap(({ reply, observation }) => (observation ? [reply, observation] : [reply]))
    .reduce((sum, { startedAt, endedAt }) => sum + secondsBetween(startedAt, endedAt), 0);
