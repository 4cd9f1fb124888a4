import { v5 as uuid5 } from 'uuid';
import type { ReplyRecord } from '../../../domain/agent/turn-record.js';
import {
  partsOf,
  pictureLabel,
  type ChatMessage,
  type MessageContent,
} from '../../../domain/models/chat-message.js';
import { argumentsIn, type RecordedQuestion } from './recorded-question.js';

/** A floating-point number, marked as such so that an attribute keeps its type even if the value is whole. */
export interface Double {
  readonly double: number;
}

/** The value of an attribute. Plain numbers are integers; null and undefined leave the attribute out. */
export type AttributeValue =
  string | number | boolean | Double | readonly string[] | null | undefined;

export const double = (value: number | null | undefined): Double | null =>
  value === null || value === undefined ? null : { double: value };

export type Attributes = Readonly<Record<string, AttributeValue>>;

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Attributes in OTLP JSON, which writes integers as strings. */
export const otlpAttributes = (attributes: Attributes): readonly OtlpAttribute[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: otlpValue(value) }],
  );

function otlpValue(
  value: Exclude<AttributeValue, null | undefined>,
): Readonly<Record<string, unknown>> {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { intValue: String(value) };
  if ('double' in value) return { doubleValue: value.double };
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
}

/** An operation with its start and end. */
export interface Span {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** Null for the root span. */
  readonly parent: string | null;
  readonly name: string;
  /** `client`: a remote call. */
  readonly kind: 'internal' | 'client';
  /** ISO 8601, like `endedAt`. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** Null if the operation succeeded. */
  readonly failure: { readonly type: string; readonly message: string } | null;
}

export interface SpanEvent {
  readonly name: string;
  /** ISO 8601. */
  readonly at: string;
  readonly attributes: Attributes;
}

const kinds: Readonly<Record<Span['kind'], number>> = { internal: 1, client: 3 };
const statusError = 2;

/** A span in OTLP JSON. @param trace - 32 hexadecimal digits */
export const otlpSpan = (trace: string, span: Span): Readonly<Record<string, unknown>> => ({
  traceId: trace,
  spanId: span.id,
  ...(span.parent !== null && { parentSpanId: span.parent }),
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: nanoseconds(span.startedAt),
  endTimeUnixNano: nanoseconds(span.endedAt),
  attributes: otlpAttributes({ ...span.attributes, 'error.type': span.failure?.type }),
  ...(span.events.length > 0 && {
    events: span.events.map(({ name, at, attributes }) => ({
      name,
      timeUnixNano: nanoseconds(at),
      attributes: otlpAttributes(attributes),
    })),
  }),
  status: span.failure ? { code: statusError, message: span.failure.message } : {},
});

/** Nanoseconds since 1970, as a string because they exceed the exact range of numbers. */
const nanoseconds = (at: string): string => `${Date.parse(at)}000000`;

// Ids depend only on the run and the question, so that every export of a run has the same ids.

/** 32 hexadecimal digits. */
export const traceId = (question: RecordedQuestion): string => hexadecimal(keyOf(question));

/** 16 hexadecimal digits. @param part - of the question, such as `turn 3 chat` */
export const spanId = (question: RecordedQuestion, part: string): string =>
  hexadecimal(`${keyOf(question)} ${part}`).slice(0, 16);

const hexadecimal = (name: string): string => uuid5(name, uuid5.URL).replaceAll('-', '');

/** The start time distinguishes runs with the same id. */
const keyOf = ({ manifest, item, result }: RecordedQuestion): string =>
  `turnwise run ${manifest.run} ${manifest.startedAt} ${item.uuid} ${result.epoch}`;

type Part = Readonly<Record<string, unknown>>;

/** `gen_ai.input.messages`: the messages of a request, as JSON in the convention's schema. A label replaces each picture. */
export const inputMessages = (messages: readonly ChatMessage[]): string =>
  JSON.stringify(messages.map((message) => ({ role: roleOf(message), parts: partsIn(message) })));

/** `gen_ai.output.messages`: the reply. */
export const outputMessages = (reply: ReplyRecord, finishReason: string): string =>
  JSON.stringify([
    {
      role: 'assistant',
      parts: [
        ...(reply.reasoning === undefined ? [] : [{ type: 'reasoning', content: reply.reasoning }]),
        { type: 'text', content: reply.raw },
        ...(reply.toolCalls ?? []).map(({ id, name, argumentsText }) =>
          toolCall(id, name, argumentsText),
        ),
      ],
      finish_reason: finishReason,
    },
  ]);

const roleOf = ({ role }: ChatMessage): string => (role === 'developer' ? 'system' : role);

function partsIn(message: ChatMessage): readonly Part[] {
  switch (message.role) {
    case 'system':
    case 'developer':
    case 'user':
      return textParts(message.content);
    case 'assistant':
      return [
        ...textParts(message.content),
        ...(message.tool_calls ?? []).map(({ id, function: { name, arguments: written } }) =>
          toolCall(id, name, written),
        ),
      ];
    case 'tool':
      return textParts(message.content).map(({ content }) => ({
        type: 'tool_call_response',
        id: message.tool_call_id,
        response: content,
      }));
  }
}

const textParts = (content: MessageContent): readonly Part[] =>
  partsOf(content).map((part) => ({
    type: 'text',
    content: part.type === 'text' ? part.text : pictureLabel(part.image_url.url),
  }));

const toolCall = (id: string, name: string, written: string): Part => ({
  type: 'tool_call',
  id,
  name,
  arguments: argumentsIn(written),
});
