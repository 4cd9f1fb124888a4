import type { AnswerTrace } from '../../agent/database-qa/answer-trace.js';
import { renderQueries } from '../../agent/database-qa/query-results.js';
import type { ModelConfig } from '../../models/model-settings.js';
import { lackOf, lackText, contentText } from '../../models/chat-message.js';
import {
  judgeRequest,
  requestKey,
  type JudgeReply,
  retryMessages,
} from '../judging/judge-request.js';
import type { Section } from '../delimited-sections.js';
import { countTokens } from '../../models/tokens.js';
import type { Price } from '../../models/usage.js';
import { mean, sum } from '../../statistics/means.js';
import {
  isReviewed,
  subTasks,
  hashOf,
  type Decision,
  type ReviewedPanel,
  type SubTask,
  type ReviewConfig,
} from './panel.js';
import {
  readReview,
  retryInstructions,
  reviewMessages,
  reviewReplySchema,
  type Review,
  type ReviewedPart,
} from './review-messages.js';

/** The parts of an answer that are reviewed. Without interaction there is neither a plan nor a query. */
export const reviewedParts = ({ method }: Pick<AnswerTrace, 'method'>): readonly SubTask[] =>
  method === 'no-interaction' ? ['IS'] : subTasks;

/** What a review needs to know of an answer. */
export interface ReviewedAnswer {
  readonly question: string;
  /** The schema of the question's database, as DDL. */
  readonly schema: string;
  /** All rows, as the agent was shown them in mode `no-interaction`; null in the others. */
  readonly rows: string | null;
  readonly trace: AnswerTrace;
}

/** What the panel of a sub-task sees: with each of them more. */
export function reviewedPart(
  { question, schema, rows, trace }: ReviewedAnswer,
  subTask: SubTask,
): ReviewedPart {
  const { plan, queries, answer } = trace;
  const interaction: readonly Section[] =
    trace.method === 'no-interaction'
      ? [{ label: 'rows of all tables', text: rows ?? '' }]
      : [
          { label: 'plan', text: plan.text },
          { label: 'queries with results', text: renderQueries(queries) },
        ];
  const sections = [
    { label: 'question', text: question },
    { label: 'schema', text: schema },
    ...interaction,
    { label: 'answer', text: answer.text },
  ];
  const shown = { IP: 3, TE: 4, IS: sections.length }[subTask];
  return { subTask, sections: sections.slice(0, shown) };
}

/** A panel: a part of an answer, before the members of a review. */
export interface PanelCase {
  readonly uuid: string;
  readonly epoch: number;
  readonly part: ReviewedPart;
}

/** A request to a member of a panel, and the names under which its reply is stored. */
export interface MemberQuestion {
  readonly model: ModelConfig;
  readonly request: ReturnType<typeof judgeRequest>;
  /** Unlike that of a judge it tells the members apart: one model may have several places. */
  readonly key: string;
  /** The number of the member. */
  readonly part: string;
  /** The number of the call, from 1. */
  readonly number: number;
}

/** Where a member stands: it has decided, it is missing since no reply could be read, or it is to be asked. */
type MemberState =
  | (Review & { readonly kind: 'decided'; readonly model: string })
  | { readonly kind: 'missing'; readonly model: string; readonly reason?: string }
  | { readonly kind: 'open'; readonly model: string; readonly question: MemberQuestion };

export interface PanelState {
  readonly panel: ReviewedPanel;
  /** What can be asked now. Empty if the panel is settled. Members are numbered: reviewers, meta-reviewers, then these once more for the reverse order. */
  readonly open: readonly { readonly member: number; readonly question: MemberQuestion }[];
  /** The stored replies that belong to the panel. Others are from before its answer was replaced. */
  readonly replies: readonly JudgeReply[];
}

/**
 * Where a panel stands. The meta-reviewers are asked when every reviewer has decided or is missing, and more than half have
 * decided.
 * @param stored - the replies of all members, in any order
 */
export function panelState(
  config: ReviewConfig,
  { uuid, epoch, part }: PanelCase,
  stored: readonly JudgeReply[],
): PanelState {
  const { reviewers, metaReviewers, tries, seed, orderCheck, prompts } = config;
  const byRequest = new Map(stored.map((reply) => [reply.request, reply]));
  const used: JudgeReply[] = [];
  const stateOf = (
    model: ModelConfig,
    member: number,
    reviews: readonly Review[] | null,
  ): MemberState => {
    const state = memberState(byRequest, model, { part, reviews, member, tries, prompts });
    used.push(...state.replies);
    return state.state;
  };

  const first = reviewers.map((model, place) => stateOf(model, place, null));
  const reviews = first.filter((state) => state.kind === 'decided');
  const isOver = first.every(({ kind }) => kind !== 'open');
  const goesOn = isOver && isReviewed({ reviewers: first.map(decisionOf) });
  const ordered = (place: number): readonly Review[] =>
    shuffled(reviews, [seed, uuid, epoch, part.subTask, place]);
  const second = metaReviewers.map((model, place) =>
    goesOn ? stateOf(model, reviewers.length + place, ordered(place)) : notAsked(model),
  );
  const isChecked =
    goesOn && reviews.length > 1 && drawOf([seed, uuid, epoch, part.subTask]) < orderCheck;
  const third = isChecked
    ? metaReviewers.map((model, place) =>
        stateOf(
          model,
          reviewers.length + metaReviewers.length + place,
          ordered(place).toReversed(),
        ),
      )
    : [];

  const open = [...first, ...second, ...third].flatMap((state, member) =>
    state.kind === 'open' ? [{ member, question: state.question }] : [],
  );
  return {
    panel: {
      uuid,
      epoch,
      subTask: part.subTask,
      reviewers: first.map(memberOf),
      metaReviewers: second.map(memberOf),
      ...(isChecked && { reversed: third.map(decisionOf) }),
      ...(open.length > 0 && { open: true }),
    },
    open,
    replies: used,
  };
}

function memberState(
  stored: ReadonlyMap<string, JudgeReply>,
  model: ModelConfig,
  asked: {
    readonly part: ReviewedPart;
    readonly reviews: readonly Review[] | null;
    readonly member: number;
    readonly tries: number;
    readonly prompts: ReviewConfig['prompts'];
  },
): { readonly state: MemberState; readonly replies: readonly JudgeReply[] } {
  const { part, reviews, member, tries, prompts } = asked;
  const structured = model.structuredReplies;
  const messages = reviewMessages(part, reviews, structured, prompts);
  const replies: JudgeReply[] = [];
  for (let number = 1; number <= tries; number += 1) {
    const last = replies.at(-1);
    const request = {
      ...judgeRequest(model, {
        part: String(member),
        number,
        messages: last
          ? retryMessages(messages, last.raw, retryInstructions(structured, prompts))
          : messages,
        structured: null,
      }),
      ...(structured && { replySchema: reviewReplySchema }),
    };
    const question = {
      model,
      request,
      key: hashOf(requestKey(request), member, number),
      part: String(member),
      number,
    };
    const reply = stored.get(question.key);
    if (reply === undefined)
      return { state: { kind: 'open', model: model.name, question }, replies };
    replies.push(reply);
    const review =
      lackOf(reply) === null
        ? readReview({ text: reply.raw, cutOff: reply.cutOff }, structured)
        : null;
    if (review)
      return { state: { kind: 'decided', ...review, model: reply.model ?? model.name }, replies };
  }
  const last = replies.at(-1);
  const lack = last && lackOf(last);
  const reason = lack ? lackText[lack] : 'no reply could be read';
  return { state: { kind: 'missing', model: last?.model ?? model.name, reason }, replies };
}

const notAsked = ({ name }: ModelConfig): MemberState => ({ kind: 'missing', model: name });

const decisionOf = (state: MemberState): Decision | null =>
  state.kind === 'decided' ? state.decision : null;

const memberOf = (state: MemberState): ReviewedPanel['reviewers'][number] => ({
  model: state.model,
  decision: decisionOf(state),
  rationale: state.kind === 'decided' ? state.rationale : '',
  ...(state.kind === 'missing' && state.reason !== undefined && { missing: state.reason }),
});

/** The same order for the same seed. Reviews that are equal are told apart by their place. */
function shuffled<T>(items: readonly T[], seed: readonly unknown[]): readonly T[] {
  const draws = items.map((item, place) => ({ item, draw: hashOf(...seed, 'order', place) }));
  return draws.sort((a, b) => (a.draw < b.draw ? -1 : 1)).map(({ item }) => item);
}

/** From 0 to 1, excluding 1; the same for the same seed. */
const drawOf = (seed: readonly unknown[]): number =>
  Number.parseInt(hashOf(...seed, 'check').slice(0, 8), 16) / 2 ** 32;

/** Tokens of a rationale with its decision, as reviewers usually write them. */
export const usualReplyTokens = 300;

export interface ReviewForecast {
  readonly answers: number;
  readonly panels: number;
  /** Of the whole review, each member asked once, with the order check. */
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** US dollars; null if the price of a member is unknown. */
  readonly usd: number | null;
}

/**
 * What a review takes: 3 × (R + M) calls an answer for R reviewers and M meta-reviewers, and M more for each panel of the order
 * check.
 * @param some - some of the answers, at least one: their prompts stand for all
 */
export function reviewForecast(
  { reviewers, metaReviewers, orderCheck, prompts }: ReviewConfig,
  answers: number,
  some: readonly ReviewedAnswer[],
): ReviewForecast {
  const [first] = some;
  if (first === undefined) throw new Error('a forecast needs an answer');
  const panels = answers * reviewedParts(first.trace).length;
  const prompt = mean(some.flatMap(promptTokens(prompts)));
  const metaPrompt = prompt + reviewers.length * usualReplyTokens;
  const calls = [
    ...reviewers.map((model) => ({ model, prompt, calls: panels })),
    ...metaReviewers.map((model) => ({
      model,
      prompt: metaPrompt,
      calls: panels * (1 + orderCheck),
    })),
  ];
  const costs = calls.map((each) => costOf(each.model.price, each.prompt, each.calls));
  return {
    answers,
    panels,
    calls: Math.round(sum(calls.map((each) => each.calls))),
    promptTokens: Math.round(sum(calls.map((each) => each.calls * each.prompt))),
    completionTokens: Math.round(sum(calls.map((each) => each.calls * usualReplyTokens))),
    usd: costs.every((cost) => cost !== null) ? sum(costs) : null,
  };
}

/** Of a reviewer about each part. */
const promptTokens =
  (prompts: ReviewConfig['prompts']) =>
  (answer: ReviewedAnswer): readonly number[] =>
    reviewedParts(answer.trace).map((subTask) =>
      sum(
        reviewMessages(reviewedPart(answer, subTask), null, false, prompts).map(({ content }) =>
          countTokens(contentText(content)),
        ),
      ),
    );

const costOf = (price: Price | null, prompt: number, calls: number): number | null =>
  price && (calls * (prompt * price.input + usualReplyTokens * price.output)) / 1e6;
