import type { ActionName } from '../../../domain/agent/actions/action.js';
import { conversation } from '../../../domain/agent/conversation.js';
import {
  iterativeMessages,
  iterativeOpening,
} from '../../../domain/agent/iterative-conversation.js';
import { methodOf } from '../../../domain/agent/methods.js';
import {
  finishedTurn,
  type ReplyRecord,
  type StoredTurn,
} from '../../../domain/agent/turn-record.js';
import {
  partsOf,
  type ChatMessage,
  type MessageContent,
} from '../../../domain/models/chat-message.js';
import { writtenTokens, type Usage } from '../../../domain/models/usage.js';
import { toolsOf } from '../../../domain/agent/actions/action-formats.js';
import { parseErrorKind } from '../../../domain/agent/actions/parse-error.js';
import { planTurn } from '../../../domain/agent/turn-plan.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import {
  argumentsIn,
  modelOf,
  shownTurns,
  type RecordedQuestion,
  toolCallOf,
  callId,
  sentMessages,
} from './recorded-question.js';

/** A part of an Inspect AI log, with the field names of its schema. Undefined fields are left out of the JSON. */
export type InspectObject = Readonly<Record<string, unknown>>;

/** Seconds between two ISO 8601 times. */
export const secondsBetween = (from: string, to: string): number =>
  Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);

/** The fields by which Inspect gives the time of an event. `at` is in ISO 8601. */
export const eventAt = (
  { startedAt }: { readonly startedAt: string },
  at: string,
): InspectObject => ({ timestamp: at, working_start: secondsBetween(startedAt, at) });

/** The tokens of a reply; undefined if the provider reports none. */
const replyUsage = ({ tokens, costUsd }: ReplyRecord): InspectObject | undefined =>
  tokens === null
    ? undefined
    : inspectUsage(
        {
          promptTokens: tokens.prompt,
          completionTokens: tokens.completion,
          cachedTokens: tokens.cached,
          cacheWrittenTokens: writtenTokens(tokens),
          reasoningTokens: tokens.reasoning,
          lostTokens: 0,
        },
        costUsd,
      );

/**
 * Inspect's input tokens exclude tokens read from a cache or written to one, while providers include them.
 * @param costUsd - null if it is unknown
 */
export const inspectUsage = (
  usage: Omit<Usage, 'calls' | 'retries' | 'cacheHits'>,
  costUsd: number | null,
): InspectObject => ({
  input_tokens: Math.max(0, usage.promptTokens - usage.cachedTokens - usage.cacheWrittenTokens),
  output_tokens: usage.completionTokens,
  total_tokens: usage.promptTokens + usage.completionTokens,
  input_tokens_cache_read: usage.cachedTokens,
  input_tokens_cache_write: usage.cacheWrittenTokens,
  reasoning_tokens: usage.reasoningTokens,
  total_cost: costUsd ?? undefined,
});

const sqlTool: ActionName = 'RetrieveFromDatabase';

const inspectToolCall = (id: string, name: string, args: InspectObject): InspectObject => ({
  id,
  function: name,
  arguments: args,
  type: 'function',
  view: viewOf(name, args),
});

/** How Inspect shows a call; undefined for its default view. */
function viewOf(name: string, { sql }: InspectObject): InspectObject | undefined {
  if (name !== sqlTool || typeof sql !== 'string') return undefined;
  // The fence must be longer than any run of backticks in the statement.
  const longest = Math.max(2, ...[...sql.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return { title: name, format: 'markdown', content: `${fence}sql\n${sql}\n${fence}` };
}

/** A message of a conversation as a chat message of Inspect. */
function inspectMessage(message: ChatMessage): InspectObject {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: contentOf(message.content) };
    case 'user':
      return { role: 'user', content: contentOf(message.content) };
    case 'assistant':
      return {
        role: 'assistant',
        content: contentOf(message.content),
        tool_calls: message.tool_calls?.map(({ id, function: { name, arguments: written } }) =>
          inspectToolCall(id, name, argumentsIn(written)),
        ),
      };
    case 'tool':
      return {
        role: 'tool',
        content: contentOf(message.content),
        tool_call_id: message.tool_call_id,
      };
  }
}

/** The raw reply of the model, with its reasoning. */
const replyMessage = ({ raw, reasoning, toolCalls, model }: ReplyRecord): InspectObject => ({
  role: 'assistant',
  content:
    reasoning === undefined
      ? raw
      : [
          { type: 'reasoning', reasoning },
          { type: 'text', text: raw },
        ],
  tool_calls: toolCalls?.map(({ id, name, argumentsText }) =>
    inspectToolCall(id, name, argumentsIn(argumentsText)),
  ),
  source: 'generate',
  model: model ?? undefined,
});

const contentOf = (content: MessageContent): string | readonly InspectObject[] =>
  typeof content === 'string'
    ? content
    : partsOf(content).map((part) =>
        part.type === 'text'
          ? { type: 'text', text: part.text }
          : { type: 'image', image: part.image_url.url },
      );

/**
 * The whole conversation. For iterative methods each action becomes a tool call and its observation the tool's result, in
 * whatever format the model wrote them.
 */
export const inspectMessages = (question: RecordedQuestion): readonly InspectObject[] =>
  chatMessages(question).map((message, index) => ({
    id: `message_${index + 1}`,
    ...inspectMessage(message),
  }));

function chatMessages(question: RecordedQuestion): readonly ChatMessage[] {
  const { config } = question.manifest;
  const method = methodOf(config);
  const turns = shownTurns(question);
  if (method.kind !== 'iterative') return conversation(question, turns);
  return [
    ...iterativeOpening(method, question),
    ...iterativeMessages(turns, { ...config, actionFormat: 'tools' }).flatMap(
      ([reply, ...observations], index) => {
        const isFinished = question.turns.slice(index, index + 1).every(finishedTurn);
        return [...(reply ? [reply] : []), ...(isFinished ? observations : [])];
      },
    ),
  ];
}

/** The answer as Inspect's output; without choices if there is no answer. */
export function inspectOutput(question: RecordedQuestion): InspectObject {
  const { answer, usage, costUsd } = question.result;
  const model = modelOf(question);
  return {
    model,
    choices:
      answer === null
        ? []
        : [{ message: { role: 'assistant', content: answer, model }, stop_reason: 'stop' }],
    completion: answer ?? '',
    usage: inspectUsage(usage, costUsd),
  };
}

/** Ranges of messages in a pool, each with an exclusive end. */
type MessageRanges = readonly (readonly [number, number])[];

/** Stores each message of a question's model calls once. Inspect's events refer to them by range. */
class MessagePool {
  readonly messages: InspectObject[] = [];
  readonly #places = new Map<string, number>();
  /** The places of message objects seen before, because serialising a long message again is slow. */
  readonly #known = new Map<ChatMessage, number>();

  refs(messages: readonly ChatMessage[]): MessageRanges {
    const ranges: [number, number][] = [];
    for (const message of messages) {
      const place = this.#known.get(message) ?? this.#place(inspectMessage(message));
      this.#known.set(message, place);
      const last = ranges.at(-1);
      if (last?.[1] === place) last[1] = place + 1;
      else ranges.push([place, place + 1]);
    }
    return ranges;
  }

  #place(message: InspectObject): number {
    const key = JSON.stringify(message);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.messages.length);
    return this.messages.push(message) - 1;
  }
}

/** The model and tool events of a question in Inspect's transcript, and the messages that they refer to. */
export function turnEvents(question: RecordedQuestion): {
  readonly events: readonly InspectObject[];
  readonly messages: readonly InspectObject[];
} {
  const sent = sentMessages(question);
  const pool = new MessagePool();
  const events = question.turns.flatMap((turn) => [
    ...(turn.reply.model === null
      ? []
      : [modelEvent(question, turn.reply, pool.refs(sent(turn.reply.turn)))]),
    ...toolEvent(question, turn),
  ]);
  return { events, messages: pool.messages };
}

function modelEvent(
  question: RecordedQuestion,
  reply: ReplyRecord,
  sent: MessageRanges,
): InspectObject {
  const { config } = question.manifest;
  const method = methodOf(config);
  const plan = planTurn(method, reply.turn, config);
  const seconds = secondsBetween(reply.startedAt, reply.endedAt);
  return {
    event: 'model',
    uuid: `turn_${reply.turn}_model`,
    ...eventAt(question.result, reply.startedAt),
    completed: reply.endedAt,
    working_time: seconds,
    model: config.model.name,
    input: [],
    input_refs: sent,
    tools:
      plan.kind === 'action' && plan.format === 'tools'
        ? toolsOf(plan.actions, method.kind === 'iterative' ? method.about : undefined).map(
            ({ name, description, parameters }) => ({
              name,
              description,
              parameters: { type: 'object', ...parameters },
            }),
          )
        : [],
    tool_choice: 'auto',
    config: generateConfig(question.manifest),
    output: {
      model: reply.model,
      choices: [{ message: replyMessage(reply), stop_reason: stopReason(reply) }],
      usage: replyUsage(reply),
      time: seconds,
    },
    retries: reply.retries,
    cache: reply.cacheHit ? 'read' : undefined,
  };
}

function toolEvent(
  question: RecordedQuestion,
  { reply, observation }: StoredTurn,
): readonly InspectObject[] {
  const { reading } = reply;
  if (observation === null || reading.kind === 'error') return [];
  const call = toolCallOf(reading);
  const outcome = observation.facts?.outcome;
  return [
    {
      event: 'tool',
      uuid: `turn_${reply.turn}_tool`,
      ...eventAt(question.result, observation.startedAt),
      completed: observation.endedAt,
      working_time: secondsBetween(observation.startedAt, observation.endedAt),
      ...inspectToolCall(callId(reply), call.name, call.arguments),
      result: observation.content,
      error:
        outcome?.kind === 'failed'
          ? {
              type: outcome.class === 'timeout' ? 'timeout' : 'unknown',
              message: outcome.class,
            }
          : undefined,
      metadata: observation.facts && { tool: observation.facts.tool, ...outcome },
    },
  ];
}

function stopReason({ reading, toolCalls }: ReplyRecord): string {
  if (reading.kind === 'error' && parseErrorKind(reading.error) === 'cut-off') return 'max_tokens';
  return toolCalls === undefined || toolCalls.length === 0 ? 'stop' : 'tool_calls';
}

/** The model's settings, which all calls share. */
export function generateConfig({ config: { model } }: Pick<RunManifest, 'config'>): InspectObject {
  return {
    temperature: model.temperature ?? undefined,
    top_p: model.topP ?? undefined,
    max_tokens: model.maxTokens,
    seed: model.seed ?? undefined,
    reasoning_effort: model.reasoningEffort ?? undefined,
  };
}
