import type { ActionKind } from '../agent/actions/action.js';
import type { ModelTurn } from '../agent/turn-record.js';
import { costText } from '../models/usage.js';
import type { WaitReason } from './question-ref.js';
import type { RunState, WaitingQuestion } from './run-state.js';
import { meanNames } from '../scoring/scale.js';
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
