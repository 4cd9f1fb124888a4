import { v5 as uuid5 } from 'uuid';
import type { ReplyRecord } from '../../../domain/agent/turn-record.js';
import {
  partsOf,
  pictureLabel,
  type ChatMessage,
  type MessageContent,
} from '../../../domain/models/chat-message.js';
import { argumentsIn, type RecordedQuestion } from './recorded-question.js';

/** A number that may have a fraction: kept apart from whole ones, so that an attribute always has the same type. */
export interface Double {
  readonly double: number;
}

/** What an attribute can hold, a number being a whole one; null and undefined leave it out. */
export type AttributeValue =
  string | number | boolean | Double | readonly string[] | null | undefined;

export const double = (value: number | null | undefined): Double | null =>
  value === null || value === undefined ? null : { double: value };

export type Attributes = Readonly<Record<string, AttributeValue>>;

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Attributes in OTLP's JSON, in which whole numbers are texts. */
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

/** An operation and how long it took. */
export interface Span {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** Null where nothing holds it. */
  readonly parent: string | null;
  readonly name: string;
  /** `client`: a call of something remote. */
  readonly kind: 'internal' | 'client';
  /** ISO 8601, as `endedAt`. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** Null where it did not fail. */
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

/** A span in OTLP's JSON. @param trace - 32 hexadecimal digits */
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

/** Since 1970, as a text: more than a number holds exactly. */
const nanoseconds = (at: string): string => `${Date.parse(at)}000000`;

// The same for the same question of the same run, whenever and wherever it is exported.

/** 32 hexadecimal digits. */
export const traceId = (question: RecordedQuestion): string => hexadecimal(keyOf(question));

/** 16 hexadecimal digits. @param part - of the question, e.g. `turn 3 chat` */
export const spanId = (question: RecordedQuestion, part: string): string =>
  hexadecimal(`${keyOf(question)} ${part}`).slice(0, 16);

const hexadecimal = (name: string): string => uuid5(name, uuid5.URL).replaceAll('-', '');

/** Runs of the same id are told apart by when they began. */
const keyOf = ({ manifest, item, result }: RecordedQuestion): string =>
  `turnwise run ${manifest.run} ${manifest.startedAt} ${item.uuid} ${result.epoch}`;

type Part = Readonly<Record<string, unknown>>;

/** `gen_ai.input.messages`: what a model was sent, as JSON in the convention's schema. Pictures are named only. */
export const inputMessages = (messages: readonly ChatMessage[]): string =>
  JSON.stringify(messages.map((message) => ({ role: roleOf(message), parts: partsIn(message) })));

/** `gen_ai.output.messages`: what it said. */
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
