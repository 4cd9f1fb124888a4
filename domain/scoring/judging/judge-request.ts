import { v5 as uuid5 } from 'uuid';
import { z } from 'zod';
import { paidCallSchema, replyRecordSchema } from '../../agent/turn-record.js';
import {
  withheldReasons,
  type ChatMessage,
  type ChatRequest,
  type Withheld,
} from '../../models/chat-message.js';
import type { ModelConfig } from '../../models/model-settings.js';
import { toldBy, type PromptTexts } from '../../models/prompt-file.js';
import { delimited, delimitersExplained, type Section } from '../delimited-sections.js';

/** What judges are told, by the names that a file of other texts has. The borders of the sections stay as they are. */
export const judgeTexts = {
  'judge.content':
    'Only content counts. Wording, structure and formatting of the answer do not matter, nor does its length, unless the rule says so.',
  'judge.again':
    'Your reply is not in the form that was asked for, so it does not count. Judge the same answer once more.\n\n{{form}}',
  'judge.extraction':
    'What follows is an evaluation of an answer: a heading, four numbered lines of a score and an explanation each, and a last line with the overall quality score. Reply with the overall quality score: that number and nothing else.',
  // The reply format for providers that do not enforce a schema, and for those that do.
  'judge.form.verdict': `Reason in as many sentences as you need. Then end your reply with a code fence of this form that holds nothing but the word True or the word False:

\`\`\`txt
True
\`\`\``,
  'judge.form.selection': `Reply with nothing but a JSON object of one key, selection, whose value is one of the texts "1", "0.5" and "0":

{"selection": "1"}`,
  'judge.form.grades': `Reply in this form, and write nothing after its last line:

Evaluation:
1. Relevance: <score> - <explanation>
2. Accuracy: <score> - <explanation>
3. Completeness: <score> - <explanation>
4. Conciseness: <score> - <explanation>
Overall Quality Score: <the average of the four scores>`,
  'judge.form.match': `Write your reasons first. Then end your reply with one of these two lines:

Verdict: match
Verdict: not match`,
  'judge.form.one-to-five': `Write your reasons first. Then end your reply with a line of this form that has one of the whole numbers 1, 2, 3, 4 and 5:

Score: <number>`,
  'judge.form.verdict.structured':
    'Reply with a JSON object: first your reasoning, then verdict, which is true or false and follows from it.',
  'judge.form.selection.structured':
    'Reply with a JSON object: first your reasoning, then selection, which is "1", "0.5" or "0" and follows from it.',
  'judge.form.grades.structured':
    'Reply with a JSON object: for relevance, accuracy, completeness and conciseness an explanation and then a score, and in overall the average of the four scores.',
  'judge.form.match.structured':
    'Reply with a JSON object: first your rationale, then verdict, which is "match" or "not match" and follows from it.',
  'judge.form.one-to-five.structured':
    'Reply with a JSON object: first your rationale, then score, which is a whole number from 1 to 5 and follows from it.',
  'judge.closing.verdict':
    'Reason step by step about what the rule requires and what the answer says, then decide.',
  'judge.closing.selection':
    'Compare the answer with the reference answer and select. No other form is accepted.',
  'judge.closing.grades': 'Grade the answer.',
  'judge.closing.match':
    'Go through the critical information of the reference answer, look for each piece in the answer, then decide.',
  'judge.closing.one-to-five':
    'Go through the key points of the reference answer and look for each in the answer, note what the answer adds, then decide.',
  'judge.role': 'You are an impartial examiner with expert knowledge of the field.',
  'judge.role.databases':
    'You are an impartial examiner of long answers to questions about the content of databases.',
  'judge.role.mathematics':
    'You are an impartial examiner with expert knowledge of symbolic mathematics and of LaTeX.',
  'judge.role.m3sciqa':
    'You are the leading expert of this field and understand its scientific papers.',
  'judge.role.scidqa': 'You are an expert at evaluating long answers.',
  eval_reference_answer_with_llm:
    'The answer is right if, as an answer to the question, it means the same as the reference answer.',
  eval_candidate_reference_answer_with_llm:
    'The answer is right if, as an answer to the question, it means the same as at least one of the {{count}} reference answers. One is enough.',
  eval_scoring_points_with_llm:
    'The answer is right if it mentions all of the {{count}} points; one that is missing makes it wrong.{{order}}',
  eval_partial_scoring_points_with_llm:
    'The answer is right if it mentions at least {{least}} of the {{count}} points, whichever they are; with fewer than {{least}} it is wrong.',
  eval_reference_answer_and_scoring_points_with_llm:
    'The answer is right if, as an answer to the question, it means the same as the reference answer and also mentions all of the {{count}} points.{{order}}',
  eval_complex_math_formula_with_llm:
    'The answer is right if its LaTeX is mathematically equivalent to the reference: another notation, another arrangement of terms or other names for bound variables change nothing.{{several}} Compare it component by component.',
  eval_m3sciqa:
    'A model is tested on open questions. Decide whether, as an answer to the question, the candidate answer means the same as the reference answer: select 1 if it does, 0.5 if it is right in part, and 0 otherwise.',
  eval_scidqa:
    'Compare the answer with the reference answer and grade it from 1 to 10, in whole numbers, in four respects: its relevance to the question; its accuracy, measured by the reference answer; its completeness, measured by the reference answer; and its conciseness. Give reasons for each grade from both sides: why it is no higher and why it is no lower. The average of the four grades is the overall quality.',
  // Both rules follow the criteria of the paper's Fig. 7, in words of ours: an addition is no fault in the first one.
  eval_long_form_match:
    'The reference answer is known to be right. The answer matches it if everything critical in the reference answer, its conclusion above all, is in the answer as well, in whatever words. What the answer says beyond that is no fault unless it contradicts the reference answer.',
  eval_long_form_grade: `The reference answer is known to be right. Grade how far the answer says the same, with a whole number:
1: it has next to nothing of the reference answer.
2: it has some of its key points and lacks others; it may give details that the reference answer does not have.
3: it has most of its key points, with noticeable omissions or additions.
4: it has all of its key points, and more that the reference answer does not have.
5: it says what the reference answer says, and leaves out and adds nothing.`,
} as const;

/** A judge's reply, as far as scoring reads it. */
export interface JudgeReplyText {
  readonly text: string;
  /** Whether the reply ended at the token limit. */
  readonly cutOff: boolean;
  readonly withheld?: Withheld | undefined;
}

/** A judge and its replies about one answer. */
export interface Judge {
  /** Whether the provider enforces a JSON schema on its replies. */
  readonly structured: boolean;
  /** Calls about one part of the evaluator, before the judge counts as unreadable. The reference makes one call. */
  readonly tries: number;
  /** Whether an empty answer has the lowest score. Otherwise it is unscored. Only for functions with long reference answers. */
  readonly judgeEmpty?: boolean | undefined;
  /** Texts in the place of ours (`judgeTexts`). @defaultValue none */
  readonly prompts?: PromptTexts | undefined;
  /** Its replies about a part of the evaluator (`JudgeQuestion.part`), in the order of the calls. */
  readonly repliesTo: (part: string) => readonly JudgeReplyText[];
}

/** What a judge is asked in one call. */
export interface JudgeQuestion {
  /** The part of the evaluator: `0`, and `0.2` for the third part of a logical function. */
  readonly part: string;
  /** The number of the call about that part, from 1. */
  readonly number: number;
  readonly messages: readonly ChatMessage[];
  /** The form whose schema the provider enforces. Null if the reply is text. */
  readonly structured: ReplyForm | null;
  readonly sampling?: { readonly temperature: number; readonly topP: number };
}

export type JudgeRequest = ChatRequest & Pick<ModelConfig, 'timeoutMs' | 'cache'>;

/** The request for a call of a judge. */
export function judgeRequest(
  { name, ...settings }: ModelConfig,
  { messages, structured, sampling }: JudgeQuestion,
): JudgeRequest {
  return {
    ...settings,
    // A null setting means that the model does not accept it.
    ...(sampling && settings.temperature !== null && { temperature: sampling.temperature }),
    ...(sampling && settings.topP !== null && { topP: sampling.topP }),
    model: name,
    messages,
    ...(structured && { replySchema: { name: structured, schema: schemaOf(structured) } }),
  };
}

/** The UUID namespace of request keys: an arbitrary constant. */
const namespace = '7b1f4c52-9f0e-4a53-8c6e-2d1a90c5e3f8';

/** A hash of what decides the reply. The endpoint's address is not part of it, since a model may move. */
export function requestKey(request: ChatRequest): string {
  const { model, messages, replySchema, temperature, topP, maxTokens, seed } = request;
  const { reasoningEffort, extraBody } = request;
  const asked = [model, messages, replySchema ?? null, temperature, topP, maxTokens, seed];
  const text = JSON.stringify([...asked, reasoningEffort, extraBody]);
  return uuid5(text, namespace).replaceAll('-', '');
}

/** Without `$schema`, which providers do not expect. */
const schemaOf = (form: ReplyForm): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(z.toJSONSchema(structuredReplies[form])).filter(([key]) => key !== '$schema'),
  );

/** A judge's reply, as it is stored before the activity completes, even if it cannot be read. */
export const judgeReplySchema = replyRecordSchema
  .pick({ raw: true, reasoning: true, startedAt: true, endedAt: true })
  .extend({
    ...paidCallSchema.shape,
    /** `requestKey` of the request. */
    request: z.string().regex(/^[0-9a-f]{32}$/),
    /** As in `JudgeQuestion`. */
    part: z.string().regex(/^\d+(\.\d+)*$/),
    /** As in `JudgeQuestion`. */
    number: z.int().min(1),
    /** Whether the reply ended at the token limit. */
    cutOff: z.boolean(),
    /** Why the reply is not read. Absent where it is. */
    withheld: z.enum(withheldReasons).optional(),
  });
export type JudgeReply = Readonly<z.infer<typeof judgeReplySchema>>;

/** Recorded in every manifest and judged score. To be raised with every change of the prompts or of how replies are read. */
export const judgePromptVersion = '2';

/**
 * The form of a judge's reply:
 * - `verdict`: whether the answer meets the rule
 * - `selection`: whether the answer is right, partly right or wrong
 * - `grades`: the answer's quality in four respects and overall, from 1 to 10
 * - `match`: whether a long answer matches the reference answer
 * - `one-to-five`: how far a long answer agrees with the reference answer, a whole number from 1 to 5
 */
export type ReplyForm = 'verdict' | 'selection' | 'grades' | LongReplyForm;

/** The forms that the reference does not have: they are read alike in strict mode. */
export type LongReplyForm = 'match' | 'one-to-five';

const grade = z.strictObject({ explanation: z.string(), score: z.number() });

/** The schemas that providers enforce. The reasoning comes first, so that the verdict can rest on it. */
export const structuredReplies = {
  verdict: z.strictObject({ reasoning: z.string(), verdict: z.boolean() }),
  selection: z.strictObject({ reasoning: z.string(), selection: z.enum(['1', '0.5', '0']) }),
  grades: z.strictObject({
    relevance: grade,
    accuracy: grade,
    completeness: grade,
    conciseness: grade,
    overall: z.number(),
  }),
  match: z.strictObject({ rationale: z.string(), verdict: z.enum(['match', 'not match']) }),
  'one-to-five': z.strictObject({ rationale: z.string(), score: z.literal([1, 2, 3, 4, 5]) }),
} as const satisfies Record<ReplyForm, z.ZodType>;

/** What a judge is asked by an evaluation function, without the answer. */
export interface JudgedTask {
  readonly role: string;
  /** When the answer is right, or how it is graded. */
  readonly rule: string;
  /** The texts in the prompt beside the answer. */
  readonly sections: readonly Section[];
  readonly form: ReplyForm;
  /** The reference's sampling settings, in strict mode. Absent: those of the judge's configuration. */
  readonly sampling?: JudgeQuestion['sampling'];
}

/**
 * The messages that ask whether an answer meets the rule of a task. Its texts are delimited, so
 * that none of them can pass for an instruction.
 */
export function judgeMessages(
  { role, rule, sections, form }: JudgedTask,
  answer: string,
  instructions: string,
  prompts?: PromptTexts,
): readonly ChatMessage[] {
  const told = toldBy(judgeTexts, prompts);
  const all = [...sections, { label: 'answer', text: answer }];
  const system = [
    role,
    `You are shown ${list(all.map(({ label }) => `the ${label}`))}.`,
    rule,
    told('judge.content'),
    delimitersExplained,
    instructions,
  ].join('\n\n');
  const user = [delimited(all), told(`judge.closing.${form}`)].join('\n\n');
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
}

/** Asks for the overall grade of a report. The reference uses a separate call for this. */
export const extractionMessages = (
  report: string,
  prompts?: PromptTexts,
): readonly ChatMessage[] => [
  {
    role: 'user',
    content: `${toldBy(judgeTexts, prompts)('judge.extraction')}\n\n${report}`,
  },
];

/** Asks again after an unreadable reply. The messages differ from the first ones, so that no cached reply is used. */
export const retryMessages = (
  messages: readonly ChatMessage[],
  reply: string,
  again: string,
): readonly ChatMessage[] => [
  ...messages,
  { role: 'assistant', content: reply === '' ? '(empty)' : reply },
  { role: 'user', content: again },
];

const list = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
