import { jsonIn } from '../../formats/json.js';
import type { ModelApi } from '../../model-api.js';
import { argumentsObject } from './request-body.js';

/** What a stream of server-sent events came to. */
type Streamed =
  /** `json` is what the API sends without streaming. */
  | { readonly kind: 'whole'; readonly json: unknown }
  /** It ended with an error. `hasText`: after a part of the reply. */
  | { readonly kind: 'failed'; readonly json: unknown; readonly hasText: boolean }
  /** It ended before its end. */
  | { readonly kind: 'cut' };

type Fields = Readonly<Record<string, unknown>>;
type Draft = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {});
const listIn = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isFields) : [];

/** Puts a stream together. Undefined for a body that is none, as of a server that does not stream. */
export function assembleStream(api: ModelApi, body: string): Streamed | undefined {
  if (!/^\s*(data|event|id|retry)?:/.test(body)) return undefined;
  const data = body
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((event) =>
      event
        .split(/\r\n|\n|\r/)
        .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).replace(/^ /, '')] : []))
        .join('\n'),
    )
    .filter((text) => text.trim() !== '');
  const events = data.map(jsonIn).filter(isFields);
  const failed = events.findIndex(
    ({ error, type, response }) =>
      type === 'error' || (error !== undefined && error !== null && response === undefined),
  );
  const failure = events[failed];
  if (failure !== undefined) {
    const { error = failure } = failure;
    return { kind: 'failed', json: { error }, hasText: failed > 0 };
  }
  const isDone = data.at(-1)?.trim() === '[DONE]';
  const json = assemblers[api](events, isDone);
  return json === undefined ? { kind: 'cut' } : { kind: 'whole', json };
}

/** Undefined for a stream without its end. */
const assemblers: Readonly<
  Record<ModelApi, (events: readonly Fields[], isDone: boolean) => unknown>
> = {
  chat: chatCompletion,
  responses: (events) =>
    events.findLast(({ type }) => /^response\.(completed|incomplete|failed)$/.test(String(type)))
      ?.response,
  anthropic: anthropicMessage,
  gemini: geminiReply,
};

function chatCompletion(chunks: readonly Fields[], isDone: boolean): unknown {
  const whole: Draft = {};
  const choices = new Map<unknown, Draft>();
  for (const { choices: parts, ...rest } of chunks) {
    Object.assign(whole, withoutNulls(rest));
    for (const { delta, message, ...facts } of listIn(parts)) {
      const choice = choices.get(facts.index ?? 0) ?? { message: {} };
      Object.assign(choice, withoutNulls(facts));
      append(choice.message as Draft, fieldsIn(delta ?? message)); // Made above.
      choices.set(facts.index ?? 0, choice);
    }
  }
  const all = [...choices.values()];
  // Some servers do not mark the end. The usage is the last that they send.
  const isWhole = isDone || (whole.usage !== undefined && all.every((one) => one.finish_reason));
  return isWhole && all.length > 0
    ? { ...whole, object: 'chat.completion', choices: all }
    : undefined;
}

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Fields that are sent whole, by some servers in every chunk. */
const wholeFields = ['id', 'type', 'role', 'name'];

/** Adds a piece of a message to what came before: texts and lists grow. */
function append(draft: Draft, piece: Fields): void {
  for (const [name, value] of Object.entries(withoutNulls(piece))) {
    const before = draft[name];
    if (wholeFields.includes(name))
      draft[name] = before === undefined || before === '' ? value : before;
    else if (typeof value === 'string' && typeof before === 'string') draft[name] = before + value;
    else if (isFields(value)) append((draft[name] ??= {}) as Draft, value);
    else if (name === 'tool_calls') appendCalls((draft[name] ??= []) as Draft[], listIn(value));
    else if (Array.isArray(value) && Array.isArray(before))
      draft[name] = [...(before as unknown[]), ...(value as unknown[])];
    else draft[name] = value;
  }
}

/** Some servers number all calls alike, or not at all: another id is another call. */
function appendCalls(calls: Draft[], pieces: readonly Fields[]): void {
  for (const piece of pieces) {
    const { index, id } = piece;
    const known =
      index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index);
    const isNew = known === undefined || (id && known.id && known.id !== id);
    const call = isNew ? {} : known;
    if (isNew) calls.push(call);
    append(call, piece);
  }
}

function anthropicMessage(events: readonly Fields[]): unknown {
  const message: Draft = {};
  const blocks = new Map<unknown, Draft>();
  for (const { type, index, message: start, content_block: block, delta, usage } of events) {
    if (type === 'message_start') Object.assign(message, fieldsIn(start));
    if (type === 'content_block_start') blocks.set(index, { ...fieldsIn(block) });
    if (type === 'content_block_delta') {
      const { type: _, ...piece } = fieldsIn(delta);
      append(blocks.get(index) ?? {}, piece);
    }
    if (type === 'message_delta') {
      Object.assign(message, fieldsIn(delta));
      message.usage = { ...fieldsIn(message.usage), ...withoutNulls(fieldsIn(usage)) };
    }
  }
  if (!events.some(({ type }) => type === 'message_stop')) return undefined;
  const content = [...blocks.values()].map(({ partial_json: json, ...block }) =>
    typeof json === 'string' && json !== '' ? { ...block, input: argumentsObject(json) } : block,
  );
  return { ...message, content };
}

function geminiReply(chunks: readonly Fields[]): unknown {
  const whole: Draft = {};
  const candidate: Draft = {};
  const parts: Fields[] = [];
  for (const { candidates, ...rest } of chunks) {
    Object.assign(whole, rest);
    const [piece] = listIn(candidates);
    Object.assign(candidate, piece);
    parts.push(...listIn(fieldsIn(piece?.content).parts));
  }
  if (fieldsIn(whole.promptFeedback).blockReason) return whole;
  if (!candidate.finishReason) return undefined;
  return { ...whole, candidates: [{ ...candidate, content: { role: 'model', parts } }] };
}
