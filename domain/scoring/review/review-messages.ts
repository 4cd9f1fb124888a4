import { z } from 'zod';
import type { ChatMessage } from '../../models/chat-message.js';
import { toldBy, type PromptTexts } from '../../models/prompt-file.js';
import { delimited, delimitersExplained, type Section } from '../delimited-sections.js';
import { judgeTexts } from '../judging/judge-request.js';
import { bareJsonIn } from '../judging/read-judgement.js';
import { decisions, type Decision, type SubTask } from './panel.js';

/** What a panel is shown, and what it judges. */
export interface ReviewedPart {
  readonly subTask: SubTask;
  /** The texts in their order, the question first. */
  readonly sections: readonly Section[];
}

/** A review, as meta-reviewers see it. */
export interface Review {
  readonly decision: Decision;
  readonly rationale: string;
}

/** What reviewers are told, by the names that a file of other texts has. The borders of the sections stay as they are. */
export const reviewTexts = {
  'review.setting':
    'An agent was to answer a question about one relational database with a long text. It works in three steps: it plans in words what to retrieve, it queries the database, and it writes the answer from the results.',
  'review.IP': [
    'The plan is what is judged. It names the information that the agent wants, and says where it is.',
    'Relevance: each piece of information that the plan asks for bears on the question.',
    'Comprehensiveness: with what the plan asks for, the question can be answered in full. Something needed that is missing is a fault, and so is a step that is not needed.',
  ].join('\n'),
  'review.TE': [
    'The queries are what is judged, with their results.',
    'Correctness: each query is valid SQL for this schema and means what it is meant to mean.',
    'Alignment: the queries retrieve what the plan asks for, all of it.',
    'Results: what the queries returned is what the question and the plan wanted.',
    'One faulty query makes the whole imperfect.',
  ].join('\n'),
  'review.IS': [
    'The answer is what is judged, against the information that the agent had.',
    'Reading: the answer takes the queries and their results for what they are.',
    'Correctness: what the answer states is right, given that information.',
    'Coverage: the answer deals with every aspect of the question.',
  ].join('\n'),
  'review.reviewer': 'You review one step of that work, and you are strict and fair.',
  // The paper, §4.2: meta-reviewers discern consensus and discrepancies, and evaluate the validity of critiques.
  'review.meta-reviewer': [
    'Reviewers have judged one step of that work. You see what they saw, and their reviews, and you decide in their place as an editor does. Go through these points in your rationale:',
    'Consistency: on what the reviewers agree, and where they contradict one another or themselves.',
    'Evidence: for each fault that a review names, whether the material bears it out. A fault that is none counts for nothing, however many name it; a real one counts, though only one review names it.',
    'Completeness: whether there is a fault that no review names.',
    'You are not bound by the majority of the reviews, nor by the order in which they stand.',
  ].join('\n'),
  'review.scale':
    'The step is Perfect if none of these points finds a fault, and Imperfect otherwise. An empty plan, and no queries, are judged as they stand.',
  // The reply format for providers that do not enforce a schema, and for those that do.
  'review.form': `Write your rationale first, point by point. Then end your reply with one line that is either

Decision: Perfect

or

Decision: Imperfect`,
  'review.form.structured':
    'Reply with a JSON object: first your rationale, point by point, then decision, which is "Perfect" or "Imperfect" and follows from it.',
  'review.again': judgeTexts['judge.again'],
} as const;

const formOf = (structured: boolean) => (structured ? 'review.form.structured' : 'review.form');

/** What a member is told whose reply could not be read. */
export function retryInstructions(structured: boolean, prompts?: PromptTexts): string {
  const told = toldBy(reviewTexts, prompts);
  return told('review.again', { form: told(formOf(structured)) });
}

/** The messages that ask a reviewer, or with `reviews` a meta-reviewer, for its decision. */
export function reviewMessages(
  { subTask, sections }: ReviewedPart,
  reviews: readonly Review[] | null,
  structured: boolean,
  prompts?: PromptTexts,
): readonly ChatMessage[] {
  const told = toldBy(reviewTexts, prompts);
  const system = [
    `${told('review.setting')} ${told(reviews === null ? 'review.reviewer' : 'review.meta-reviewer')}`,
    [told(`review.${subTask}`), told('review.scale')].join('\n'),
    delimitersExplained,
    told(formOf(structured)),
  ].join('\n\n');
  const shown = [...sections, ...(reviews ?? []).map(reviewSection)];
  return [
    { role: 'system', content: system },
    { role: 'user', content: delimited(shown) },
  ];
}

/** Numbered by its place, which tells nothing of its author. */
const reviewSection = ({ decision, rationale }: Review, place: number): Section => ({
  label: `review ${place + 1}`,
  text: `${rationale}\n\nDecision: ${words[decision]}`,
});

const words: Readonly<Record<Decision, string>> = { perfect: 'Perfect', imperfect: 'Imperfect' };

/** The schema that providers enforce. The rationale comes first, so that the decision can rest on it. */
const structuredReview = z.strictObject({
  rationale: z.string(),
  decision: z.enum(['Perfect', 'Imperfect']),
});

export const reviewReplySchema = {
  name: 'review',
  // Without `$schema`, which providers do not expect.
  schema: Object.fromEntries(
    Object.entries(z.toJSONSchema(structuredReview)).filter(([key]) => key !== '$schema'),
  ),
};

/** A decision in a line of its own; Markdown around it is no part of it. */
const decisionLine = /^[\s>*_#`-]*decision[\s*_`]*:[\s*_`]*(perfect|imperfect)[\s*_`.]*$/gim;

/**
 * Reads the reply of a reviewer or meta-reviewer: structured, or the last line of the decision's form, as an earlier one may
 * be a quotation. Null if there is none, and for a reply that was cut off.
 */
export function readReview(
  { text, cutOff }: { readonly text: string; readonly cutOff: boolean },
  structured: boolean,
): Review | null {
  if (cutOff) return null;
  if (structured) {
    const parsed = structuredReview.safeParse(bareJsonIn(text));
    if (!parsed.success) return null;
    return { decision: decisionOf(parsed.data.decision), rationale: parsed.data.rationale.trim() };
  }
  const last = [...text.matchAll(decisionLine)].at(-1);
  const word = last?.[1];
  if (last === undefined || word === undefined) return null;
  return { decision: decisionOf(word), rationale: text.slice(0, last.index).trim() };
}

const decisionOf = (word: string): Decision => z.enum(decisions).parse(word.toLowerCase());
