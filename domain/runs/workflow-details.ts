import type { ActionKind } from '../agent/actions/action.js';
import type { Result } from '../agent/question-result.js';
import type { ModelTurn } from '../agent/turn-record.js';
import { duration } from '../formats/text.js';
import type { SampleKey } from '../ids.js';
import { costText } from '../models/usage.js';
import { meanNames } from '../scoring/verdict.js';
import { percentile } from '../statistics/means.js';
import type { WaitReason } from './question-ref.js';
import type { RunState, WaitingQuestion } from './run-state.js';
import { endedCount, scoreMeans } from './run-totals.js';

/**
 * The progress of a run in Markdown, for the current details in the Temporal UI.
 * @param questions - the path of the list of its questions there
 */
export function runDetails({ samples, inFlight, totals }: RunState, questions: string): string {
  const outcomes = Object.entries(totals.outcomes).map(([kind, count]) => `${count} ${kind}`);
  const { turns, scores, usage } = totals;
  const means = scoreMeans(scores);
  return [
    `**${endedCount(totals)} of ${samples} questions ended**, ${inFlight.length} in flight ([list](${questions}))`,
    ...(outcomes.length > 0 ? [outcomes.join(' · ')] : []),
    means.length === 0
      ? `no scores yet, ${scores.unscored} unscored`
      : [
          ...means.map(
            ({ scale, mean, scored }) =>
              `${meanNames[scale]} ${mean.toFixed(3)} over ${scored} scored`,
          ),
          `${scores.unscored} unscored`,
        ].join(', '),
    `${turns} turns · ${usage.calls} model calls · ${usage.promptTokens} prompt and ${usage.completionTokens} completion tokens · ${costText(totals.cost)}`,
  ].join('  \n');
}

/** Short names of actions, for users. */
export const actionLabels = {
  RetrieveFromDatabase: 'SQL',
  RetrieveFromVectorstore: 'vector search',
  ClassicRetrieve: 'search',
  CalculateExpr: 'calculation',
  ViewImage: 'image',
  QueryGraph: 'graph',
  GenerateAnswer: 'answer',
  PluginAction: 'plugin',
} as const satisfies Record<ActionKind, string>;

export interface QuestionMoment {
  readonly question: string;
  /** The path of its run in the Temporal UI. */
  readonly runPath: string;
  readonly turn: number;
  readonly maxTurns: number;
  /** Null while the model call is in flight. */
  readonly reply: ModelTurn | null;
  /** The observation of the turn before. Null in the first turn. */
  readonly observation: string | null;
}

/**
 * The state of a question in Markdown, for the current details in the Temporal UI. The current step comes first, because the
 * UI shows five lines without scrolling.
 */
export function questionDetails(moment: QuestionMoment): string {
  const { turn, maxTurns, reply, observation } = moment;
  return [
    `**Turn ${turn} of at most ${maxTurns}**: ${reply ? inMarkdown(reply) : 'asking the model'}`,
    ...(observation === null ? [] : [`It was told ${asCode(observation)}`]),
    questionLine(moment),
  ].join('  \n');
}

const questionLine = ({ question, runPath }: Pick<QuestionMoment, 'question' | 'runPath'>) =>
  `Question: ${question} [(its run)](${runPath})`;

/** One line without Markdown. */
export const describeReply = (reply: ModelTurn): string =>
  reply.kind === 'unparseable'
    ? `unreadable · ${reply.error}`
    : `${labelOf(reply)} · ${reply.preview}`;

type Readable = Exclude<ModelTurn, { readonly kind: 'unparseable' }>;

const labelOf = (reply: Readable): string =>
  reply.kind === 'step'
    ? reply.label
    : `${reply.calls === undefined ? '' : `${reply.calls} calls, `}${actionLabels[reply.action]}`;

const inMarkdown = (reply: ModelTurn): string =>
  reply.kind === 'unparseable'
    ? `a reply that could not be read: ${reply.error}`
    : `${labelOf(reply)} ${asCode(reply.preview)}`;

/** As inline code, because SQL and JSON contain characters that Markdown reads as emphasis. */
const asCode = (text: string): string =>
  text.trim() === '' ? 'nothing' : `\`\` ${text.replaceAll('``', "''")} \`\``;

/** The same for a question that is being judged. */
export const judgingDetails = ({
  judge,
  judges,
  ...asked
}: Pick<QuestionMoment, 'question' | 'runPath'> & {
  /** The index of the judge, from 0. */
  readonly judge: number;
  readonly judges: number;
}): string =>
  [
    `**Answered**, and before ${judges === 1 ? 'its judge' : `judge ${judge + 1} of ${judges}`}`,
    questionLine(asked),
  ].join('  \n');

/** The same for a question that waits. */
export const waitingDetails = ({ reason, message, until }: WaitingQuestion): string =>
  [
    `**Waits: ${waitLabels[reason]}**${until === null ? '' : `, until ${new Date(until).toISOString()} at the latest`}`,
    message,
  ].join('  \n');

/** What a question waits for, in texts for users. */
export const waitLabels = {
  'rate-limit': 'the provider’s rate limit',
  quota: 'the account has no credit left',
  budget: 'the run’s budget is spent',
  run: 'the run’s own workflow does not answer',
  outage: 'something it needs fails',
  pause: 'it is paused',
  batch: 'a batch is not answered yet',
} as const satisfies Record<WaitReason, string>;

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
