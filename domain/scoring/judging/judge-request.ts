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
import { judgeTexts } from './judge-texts.js';

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
