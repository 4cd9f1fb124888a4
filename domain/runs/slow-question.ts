import type { Result } from '../agent/question-result.js';
import { duration } from '../formats/text.js';
import type { SampleKey } from '../ids.js';
import { percentile } from '../statistics/latencies.js';
import type { WaitingQuestion } from './run-state.js';
import { waitLabels } from './workflow-details.js';

/** What a question under way is doing, as the server sees it. */
export type QuestionDoing =
  /** It has told its run what it waits for. */
  | { readonly kind: 'waits'; readonly waiting: WaitingQuestion }
  /** An activity is with a worker; `told` is what that said last, null where it has not said anything. */
  | { readonly kind: 'works'; readonly activity: string; readonly told: string | null }
  /** A worker has its next step, and does there what that takes. */
  | { readonly kind: 'at-work' }
  /** An activity has failed, and will be tried again. */
  | {
      readonly kind: 'retries';
      readonly activity: string;
      /** The one that comes, from 1. */
      readonly attempt: number;
      /** 0 where there is no end. */
      readonly attempts: number;
      readonly lastFailure: string;
    }
  /** An activity, or the next step of its workflow, waits for a worker to take it. */
  | { readonly kind: 'unclaimed' }
  /** Its workflow was closed, or never opened: its run finds that by itself. */
  | { readonly kind: 'closed' }
  /** Nothing of it is under way: it is paused, or between two steps. */
  | { readonly kind: 'rests' };

/** A question in flight, and for how long nothing has come of it. */
export interface SlowQuestion extends SampleKey {
  /** Turns whose reply is stored. */
  readonly turns: number;
  /** When something was stored last, else when it began: milliseconds since 1970. */
  readonly movedAtMs: number;
  readonly doing: QuestionDoing;
}

/** Nothing to speak of before. */
const slowMs = 15_000;

export const isSlow = ({ movedAtMs }: Pick<SlowQuestion, 'movedAtMs'>, nowMs: number): boolean =>
  nowMs - movedAtMs > slowMs;

/** A turn that takes so many times as long as turns do, and this long, is taken for stuck. */
const stuckTimes = 10;
const stuckMs = 60_000;

/** @param turnMs - what a turn usually takes; null where none has been seen */
export const isStuck = (
  { movedAtMs }: Pick<SlowQuestion, 'movedAtMs'>,
  turnMs: number | null,
  nowMs: number,
): boolean => nowMs - movedAtMs > Math.max(stuckMs, stuckTimes * (turnMs ?? 0));

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
    case 'unclaimed':
      return 'waits for a worker';
    case 'closed':
      return 'closed without an end; its run sees to it';
    case 'rests':
      return 'rests';
  }
}

/** Activities by what a person would call them. */
const activityNames: Readonly<Record<string, string>> = {
  askModel: 'model call',
  takeAction: 'action',
  readContext: 'reading its context',
  endQuestion: 'scoring and storing',
};

const nameOf = (activity: string): string => activityNames[activity] ?? activity;

/**
 * What a turn usually took, its action included: the median over questions, so that a pause of some is no matter. Null
 * where no turn was taken.
 */
export function usualTurnMs(
  results: readonly Pick<Result, 'startedAt' | 'endedAt' | 'turns'>[],
): number | null {
  const each = results
    .filter(({ turns }) => turns > 0)
    .map(({ startedAt, endedAt, turns }) => (Date.parse(endedAt) - Date.parse(startedAt)) / turns);
  return each.length === 0 ? null : percentile(each, 50);
}
