import { z } from 'zod';
import { finishReasons, type Message } from '../../models/chat-message.js';
import type { ActionName } from '../actions/action.js';
import { parseReply } from '../actions/parse-reply.js';
import type { QuestionMaterial } from '../question-context.js';
import { schemaBlock } from '../prompts/method-prompts.js';
import type { FinishedTurn, ReplyRecord } from '../turn-record.js';

// What turnwise and an agent of the user's write to each other: one JSON object a line, in turns
// (docs/how-to/own-agent.md). Each line of the agent is a turn of its question.

const messageSchema = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
});

/** A line of the agent. */
export const agentRequestSchema = z
  .union([
    z.strictObject({ model: z.strictObject({ messages: z.array(messageSchema).min(1) }) }),
    z.strictObject({ sql: z.string() }),
    z.strictObject({ search: z.string(), limit: z.int().min(1).max(100).optional() }),
    z.strictObject({
      action: z.strictObject({
        action_type: z.string(),
        parameters: z.record(z.string(), z.json()),
      }),
    }),
    z.strictObject({ answer: z.json() }),
  ])
  .describe(
    'asks the run’s model, queries the store with SQL, searches its passages, takes any action of docs/reference/hybrid-agent.md, or ends the question',
  );
type AgentRequest = Readonly<z.infer<typeof agentRequestSchema>>;

/** The first line to the agent. */
export const agentTaskSchema = z.object({
  question: z.string(),
  answer_format: z.string(),
  anchor_pdf: z.array(z.string()),
  reference_pdf: z.array(z.string()),
  conference: z.array(z.string()),
  /** Lines that it may write at most, the last one with the answer. */
  turns: z.int().min(1),
  /** The tables and the collections of the store, in words; null for a run without one. */
  schemas: z.object({ database: z.string(), vectorstore: z.string() }).nullable(),
});

/** Each later line to the agent: what its last one came to. */
export const agentResultSchema = z.union([
  z.object({ reply: z.string(), finish_reason: z.enum(finishReasons) }),
  z.object({ observation: z.string() }),
  /** The last line was no request, or an action that there is not. It counts as a turn. */
  z.object({ error: z.string() }),
]);

/** All lines to the agent up to now. */
export function linesToAgent(
  { item, manifest }: QuestionMaterial,
  turns: readonly FinishedTurn[],
): readonly unknown[] {
  const { store, config } = manifest;
  const { question, answer_format, anchor_pdf, reference_pdf, conference } = item;
  const task: z.input<typeof agentTaskSchema> = {
    ...{ question, answer_format },
    anchor_pdf: [...anchor_pdf],
    reference_pdf: [...reference_pdf],
    conference: [...conference],
    turns: config.maxTurns,
    schemas: store && {
      database: schemaBlock('database', store, config),
      vectorstore: schemaBlock('vectorstore', store, config),
    },
  };
  return [task, ...turns.map(resultLine)];
}

function resultLine({ reply, observation }: FinishedTurn): z.input<typeof agentResultSchema> {
  const { reading, raw, finishReason = 'stop' } = reply;
  if (reading.kind === 'error') return { error: reading.error };
  return reading.kind === 'step' ? { reply: raw, finish_reason: finishReason } : { observation };
}

/** What the agent may do, beside asking the model. */
const agentActions: readonly ActionName[] = [
  'RetrieveFromDatabase',
  'RetrieveFromVectorstore',
  'ClassicRetrieve',
  'CalculateExpr',
  'GenerateAnswer',
];

/** A line of the agent: messages for the model, or an action that is taken without it. */
export type AgentTurn =
  | { readonly kind: 'model'; readonly messages: readonly Message[] }
  | { readonly kind: 'action'; readonly reading: ReplyRecord['reading'] };

/** Never throws: what cannot be read is a turn with an error, which the agent is told. */
export function readAgentLine(line: unknown): AgentTurn {
  const parsed = agentRequestSchema.safeParse(line);
  if (!parsed.success) return { kind: 'action', reading: { kind: 'error', error: notARequest } };
  const request = parsed.data;
  if ('model' in request) return { kind: 'model', messages: request.model.messages };
  const reading = parseReply(JSON.stringify(actionObject(request)), {
    ...{ actions: agentActions, format: 'json', protocol: 'code_block', strictness: 'tolerant' },
  });
  return { kind: 'action', reading };
}

const notARequest =
  'A line is one JSON object with "model", "sql", "search", "action" or "answer", as docs/how-to/own-agent.md has them.';

function actionObject(request: Exclude<AgentRequest, { readonly model: unknown }>): unknown {
  if ('action' in request) return request.action;
  if ('sql' in request) return written('RetrieveFromDatabase', { sql: request.sql });
  if ('answer' in request) return written('GenerateAnswer', { answer: request.answer });
  const { search: query, limit } = request;
  return written('ClassicRetrieve', { query, ...(limit !== undefined && { limit }) });
}

const written = (action_type: ActionName, parameters: object): object => ({
  action_type,
  parameters,
});

/** The messages of a call, and how many of them the call before had in the same places: only the others are kept. */
export function askedAnew(
  messages: readonly Message[],
  turns: readonly FinishedTurn[],
): NonNullable<ReplyRecord['asked']> {
  const before = messagesSent(turns, turns.length);
  const differs = messages.findIndex(
    ({ role, content }, index) => before[index]?.role !== role || before[index].content !== content,
  );
  const kept = differs === -1 ? messages.length : differs;
  return { kept, messages: messages.slice(kept) };
}

/** What the model was sent in the newest call of the first `count` turns; empty where it was not asked. */
export const messagesSent = (turns: readonly FinishedTurn[], count: number): readonly Message[] =>
  turns.slice(0, count).reduce<readonly Message[]>((sent, { reply: { asked } }) => {
    return asked === undefined ? sent : [...sent.slice(0, asked.kept), ...asked.messages];
  }, []);

/** The conversation as it is exported: what each call sent anew, and what the agent did between calls. */
export const agentTrajectory = (turns: readonly FinishedTurn[]): readonly Message[] =>
  turns.flatMap(({ reply: { asked, raw, reading }, observation }): Message[] => {
    if (asked) return [...asked.messages, { role: 'assistant', content: raw }];
    const did = reading.kind === 'action' ? JSON.stringify(reading.action) : '(no request)';
    return [
      { role: 'assistant', content: did },
      { role: 'user', content: observation },
    ];
  });
