import type { Result } from '../agent/question-result.js';
import { duration } from '../formats/text.js';
import type { SampleKey } from '../ids.js';
import { percentile } from '../statistics/means.js';
import type { WaitingQuestion } from './run-state.js';
import { waitLabels } from './workflow-details.js';

/** What a question in flight does, according to the Temporal server. */
export type QuestionDoing =
  /** The question has reported to its run what it waits for. */
  | { readonly kind: 'waits'; readonly waiting: WaitingQuestion }
  /** A worker executes an activity. `told` is the text of the latest heartbeat. Null before the first one. */
  | { readonly kind: 'works'; readonly activity: string; readonly told: string | null }
  /** A worker executes a workflow task, with its local activities. */
  | { readonly kind: 'at-work' }
  /** An activity has failed, and will be retried. */
  | {
      readonly kind: 'retries';
      readonly activity: string;
      /** The number of the next attempt, from 1. */
      readonly attempt: number;
      /** The highest number of attempts. 0 means no limit. */
      readonly attempts: number;
      readonly lastFailure: string;
    }
  /** No worker can go on with its workflow. */
  | { readonly kind: 'stuck'; readonly why: string }
  /** An activity or a workflow task waits in the task queue. */
  | { readonly kind: 'unclaimed' }
  /** The question's workflow is closed or does not exist. The run notices this. */
  | { readonly kind: 'closed' }
  /** No activity or workflow task is pending: the question is paused, or between two tasks. */
  | { readonly kind: 'rests' };

/** A question in flight, and the time of its latest progress. */
export interface SlowQuestion extends SampleKey {
  /** The number of stored replies. */
  readonly turns: number;
  /** When a file was last stored, or when the question began: milliseconds since 1970. */
  readonly movedAtMs: number;
  readonly doing: QuestionDoing;
}

/** A question without progress for longer than this is shown as slow. */
const slowMs = 15_000;

export const isSlow = ({ movedAtMs }: Pick<SlowQuestion, 'movedAtMs'>, nowMs: number): boolean =>
  nowMs - movedAtMs > slowMs;

/** A turn is stuck after this multiple of the usual time of a turn, and at least after `stuckMs`. */
const stuckFactor = 10;
const stuckMs = 60_000;

/** @param turnMs - the usual time of a turn; null if unknown */
export const isStuck = (
  { movedAtMs }: Pick<SlowQuestion, 'movedAtMs'>,
  turnMs: number | null,
  nowMs: number,
): boolean => nowMs - movedAtMs > Math.max(stuckMs, stuckFactor * (turnMs ?? 0));

/** `q12 after turn 3, for 4 min: model call, try 5 of 8; the last: 503`. */
export function slowQuestionText(question: SlowQuestion, nowMs: number): string {
  const { uuid, epoch, turns, movedAtMs, doing } = question;
  const name = epoch === 1 ? uuid : `${uuid} --epoch ${epoch}`;
  const where = turns === 0 ? 'in its first turn' : `after turn ${turns}`;
  return `${name} ${where}, for ${duration(Math.max(0, nowMs - movedAtMs))}: ${doingText(doing)}`;
}

function doingText(doing: QuestionDoing): string {
  switch (doing.kind) {
    case 'waits': {
      const { reason, until, message } = doing.waiting;
      return `waits, ${waitLabels[reason]}${until === null ? '' : `, until ${new Date(until).toISOString()}`} (${message})`;
    }
    case 'works':
      return doing.told ?? nameOf(doing.activity);
    case 'at-work':
      return 'model call or action';
    case 'retries': {
      const of = doing.attempts === 0 ? '' : ` of ${doing.attempts}`;
      return `${nameOf(doing.activity)}, try ${doing.attempt}${of}; the last failed: ${doing.lastFailure}`;
    }
    case 'stuck':
      return doing.why;
    case 'unclaimed':
      return 'waits for a worker';
    case 'closed':
      return 'closed without an end; its run sees to it';
    case 'rests':
      return 'rests';
  }
}

/** The names of activities in texts for users. */
const activityNames: Readonly<Record<string, string>> = {
  askModel: 'model call',
  takeAction: 'action',
  readContext: 'reading its context',
  endQuestion: 'scoring and storing',
};

const nameOf = (activity: string): string => activityNames[activity] ?? activity;

/** The usual time of a turn, its action included: the median over questions. Null without any turn. */
export function usualTurnMs(
  results: readonly Pick<Result, 'startedAt' | 'endedAt' | 'turns'>[],
): number | null {
  const each = results
    .filter(({ turns }) => turns > 0)
    .map(({ startedAt, endedAt, turns }) => (Date.parse(endedAt) - Date.parse(startedAt)) / turns);
  return each.length === 0 ? null : percentile(each, 50);
}
