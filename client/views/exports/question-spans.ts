import { v5 as uuid5 } from 'uuid';
import { parseErrorKind } from '../../../domain/agent/actions/parse-error.js';
import { endedForOutsideReasons, upstreamsOf } from '../../../domain/agent/question-result.js';
import type { ReplyRecord, StoredTurn } from '../../../domain/agent/turn-record.js';
import {
  type ChatMessage,
  partsOf,
  pictureLabel,
  type MessageContent,
} from '../../../domain/models/chat-message.js';
import { wellFormedJsonOf } from '../../../domain/formats/json.js';
import type { ModelConfig } from '../../../domain/models/model-settings.js';
import { writtenTokens } from '../../../domain/models/usage.js';
import { onScale, scaleOf } from '../../../domain/scoring/verdict.js';
import {
  toolCallOf,
  callId,
  recordsOf,
  sentMessages,
  type RecordedQuestion,
  argumentsIn,
} from './recorded-question.js';

/** OpenTelemetry's names of providers that have hosts of their own. */
const providers: readonly (readonly [hosts: RegExp, name: string])[] = [
  [/(^|\.)openai\.com$/, 'openai'],
  [/(^|\.)openai\.azure\.com$/, 'azure.ai.openai'],
  [/(^|\.)anthropic\.com$/, 'anthropic'],
  [/^generativelanguage\.googleapis\.com$/, 'gcp.gemini'],
  [/platform\.googleapis\.com$/, 'gcp.vertex_ai'],
  [/(^|\.)bedrock[\w-]*\.[\w-]+\.amazonaws\.com$/, 'aws.bedrock'],
  [/(^|\.)mistral\.ai$/, 'mistral_ai'],
  [/(^|\.)groq\.com$/, 'groq'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)x\.ai$/, 'x_ai'],
];

/** The provider of a model by its address, else by its API. Any server may speak OpenAI's: it is named by its host. */
function providerOf({ baseUrl, api }: Pick<ModelConfig, 'baseUrl' | 'api'>): string {
  const { hostname } = new URL(baseUrl);
  const known = providers.find(([hosts]) => hosts.test(hostname))?.[1];
  if (known !== undefined) return known;
  return api === 'anthropic' ? 'anthropic' : api === 'gemini' ? 'gcp.gemini' : hostname;
}

/**
 * A question as a trace by OpenTelemetry's conventions for generative AI: an `invoke_agent` span that contains a `chat` span
 * for every reply and an `execute_tool` span for every action. Ids are derived from run, question and turn.
 * @param withTexts - whether to include the texts of prompts, replies, arguments and results, which the conventions make
 * optional
 * @returns a `TracesData` of OTLP JSON
 */
export function questionTrace(
  question: RecordedQuestion,
  withTexts: boolean,
): Readonly<Record<string, unknown>> {
  const { manifest } = question;
  const trace = traceId(question);
  const sent = withTexts ? sentMessages(question) : null;
  const spans = [
    agentSpan(question, withTexts),
    ...question.turns.flatMap((turn) => [
      ...(turn.reply.model === null ? [] : [chatSpan(question, turn.reply, sent)]),
      ...toolSpans(question, turn, withTexts),
    ]),
  ];
  const { turnwise } = manifest.versions;
  return {
    resourceSpans: [
      {
        resource: {
          attributes: otlpAttributes({ 'service.name': 'turnwise', 'service.version': turnwise }),
        },
        scopeSpans: [
          {
            scope: { name: 'turnwise', version: turnwise },
            spans: spans.map((span) => otlpSpan(trace, span)),
          },
        ],
      },
    ],
  };
}

function agentSpan(question: RecordedQuestion, withTexts: boolean): Span {
  const { manifest, item, result } = question;
  const { outcome, usage } = result;
  return {
    id: spanId(question, 'question'),
    parent: null,
    name: `invoke_agent ${manifest.config.method}`,
    kind: 'internal',
    startedAt: result.startedAt,
    endedAt: result.endedAt,
    attributes: {
      ...common('invoke_agent', question),
      'gen_ai.agent.name': manifest.config.method,
      'gen_ai.agent.version': manifest.versions.turnwise,
      ...(manifest.store && { 'gen_ai.data_source.id': manifest.store.name }),
      'gen_ai.usage.input_tokens': usage.promptTokens,
      'gen_ai.usage.output_tokens': usage.completionTokens,
      'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens,
      'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrittenTokens,
      'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
      'turnwise.run': manifest.run,
      'turnwise.question': item.uuid,
      'turnwise.epoch': result.epoch,
      'turnwise.tags': item.tags,
      'turnwise.category': item.category,
      'turnwise.asking': result.asking ?? 1,
      'turnwise.outcome': outcome.kind,
      'turnwise.turns': result.turns,
      'turnwise.calls': usage.calls,
      'turnwise.retries': usage.retries,
      'turnwise.cache_hits': usage.cacheHits,
      'turnwise.lost_tokens': usage.lostTokens,
      'turnwise.answered_by': result.answeredBy && upstreamsOf(result.answeredBy),
      'turnwise.cost_usd': double(result.costUsd),
      ...(withTexts && {
        'gen_ai.input.messages': inputMessages([{ role: 'user', content: item.question }]),
        'turnwise.answer': result.answer,
        'turnwise.records': wellFormedJsonOf(recordsOf(question)),
      }),
    },
    events: scoreEvents(question, withTexts),
    failure: endedForOutsideReasons[outcome.kind]
      ? outcome.kind === 'infra-error'
        ? { type: outcome.failure, message: outcome.message }
        : { type: outcome.kind, message: `the question ended as ${outcome.kind}` }
      : null,
  };
}

function scoreEvents(
  { score, result }: RecordedQuestion,
  withTexts: boolean,
): readonly SpanEvent[] {
  if (score === null) return [];
  const { verdict, scorer, judgeCostUsd } = score;
  return [
    {
      name: 'gen_ai.evaluation.result',
      at: result.endedAt,
      attributes: {
        'gen_ai.evaluation.name': scorer ?? 'none',
        'gen_ai.evaluation.score.value': double(
          score.score === null ? null : onScale(score.score, scaleOf(scorer)),
        ),
        'gen_ai.evaluation.score.label': verdict.kind === 'scored' ? null : verdict.reason,
        'turnwise.raw_score': double(verdict.kind === 'scored' ? verdict.rawScore : null),
        'turnwise.judge_cost_usd': double(judgeCostUsd),
        ...(withTexts && {
          'gen_ai.evaluation.explanation':
            verdict.kind === 'scored' ? verdict.rationale : verdict.message,
        }),
      },
    },
  ];
}

/** @param sent - the messages that a turn sent to the model; null if texts are left out */
function chatSpan(
  question: RecordedQuestion,
  reply: ReplyRecord,
  sent: ((turn: number) => readonly ChatMessage[]) | null,
): Span {
  const { model } = question.manifest.config;
  const server = new URL(model.baseUrl);
  const finishReason = finishReasonOf(reply);
  return {
    id: spanId(question, `turn ${reply.turn} chat`),
    parent: spanId(question, 'question'),
    name: `chat ${model.name}`,
    kind: 'client',
    startedAt: reply.startedAt,
    endedAt: reply.endedAt,
    attributes: {
      ...common('chat', question),
      'server.address': server.hostname,
      'server.port': Number(server.port || (server.protocol === 'http:' ? 80 : 443)),
      'gen_ai.request.temperature': double(model.temperature),
      'gen_ai.request.top_p': double(model.topP),
      'gen_ai.request.max_tokens': model.maxTokens,
      'gen_ai.request.seed': model.seed,
      'gen_ai.request.reasoning.level': model.reasoningEffort,
      'gen_ai.response.model': reply.model,
      'gen_ai.response.finish_reasons': [finishReason],
      'gen_ai.usage.input_tokens': reply.tokens?.prompt,
      'gen_ai.usage.output_tokens': reply.tokens?.completion,
      'gen_ai.usage.cache_read.input_tokens': reply.tokens?.cached,
      'gen_ai.usage.cache_creation.input_tokens': reply.tokens
        ? writtenTokens(reply.tokens)
        : undefined,
      'gen_ai.usage.reasoning.output_tokens': reply.tokens?.reasoning,
      'turnwise.turn': reply.turn,
      'turnwise.retries': reply.retries,
      'turnwise.cache_hit': reply.cacheHit,
      'turnwise.cost_usd': double(reply.costUsd),
      'turnwise.reading': reply.reading.kind,
      ...(sent && {
        'gen_ai.input.messages': inputMessages(sent(reply.turn)),
        'gen_ai.output.messages': outputMessages(reply, finishReason),
      }),
    },
    events: [],
    failure: null,
  };
}

function toolSpans(
  question: RecordedQuestion,
  { reply, observation }: StoredTurn,
  withTexts: boolean,
): readonly Span[] {
  const { reading } = reply;
  if (observation === null || reading.kind === 'error') return [];
  const call = toolCallOf(reading);
  const outcome = observation.facts?.outcome;
  return [
    {
      id: spanId(question, `turn ${reply.turn} tool`),
      parent: spanId(question, 'question'),
      name: `execute_tool ${call.name}`,
      kind: 'internal',
      startedAt: observation.startedAt,
      endedAt: observation.endedAt,
      attributes: {
        ...common('execute_tool', question),
        'gen_ai.tool.name': call.name,
        'gen_ai.tool.call.id': callId(reply),
        'gen_ai.tool.type': call.reads ? 'datastore' : 'function',
        'turnwise.turn': reply.turn,
        'turnwise.tool.outcome': outcome?.kind,
        'turnwise.tool.ms': double(observation.facts?.ms),
        'turnwise.cost_usd': double(observation.facts?.costUsd),
        ...(withTexts && {
          'gen_ai.tool.call.arguments': wellFormedJsonOf(call.arguments),
          'gen_ai.tool.call.result': observation.content,
        }),
      },
      events: [],
      failure:
        outcome?.kind === 'failed'
          ? { type: outcome.class, message: `the action failed (${outcome.class})` }
          : null,
    },
  ];
}

const common = (operation: string, { manifest, item, result }: RecordedQuestion): Attributes => ({
  'gen_ai.operation.name': operation,
  ...(operation !== 'execute_tool' && {
    'gen_ai.provider.name': providerOf(manifest.config.model),
    'gen_ai.request.model': manifest.config.model.name,
  }),
  'gen_ai.conversation.id': `${manifest.run}/${item.uuid}/${result.epoch}`,
});

function finishReasonOf({ reading, toolCalls }: ReplyRecord): string {
  if (reading.kind === 'error' && parseErrorKind(reading.error) === 'cut-off') return 'length';
  return toolCalls === undefined || toolCalls.length === 0 ? 'stop' : 'tool_call';
}

/** A floating-point number, marked as such so that an attribute keeps its type even if the value is whole. */
interface Double {
  readonly double: number;
}

/** The value of an attribute. Plain numbers are integers; null and undefined leave the attribute out. */
type AttributeValue = string | number | boolean | Double | readonly string[] | null | undefined;

const double = (value: number | null | undefined): Double | null =>
  value === null || value === undefined ? null : { double: value };

type Attributes = Readonly<Record<string, AttributeValue>>;

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Attributes in OTLP JSON, which writes integers as strings. */
const otlpAttributes = (attributes: Attributes): readonly OtlpAttribute[] =>
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
interface Span {
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

interface SpanEvent {
  readonly name: string;
  /** ISO 8601. */
  readonly at: string;
  readonly attributes: Attributes;
}

const kinds: Readonly<Record<Span['kind'], number>> = { internal: 1, client: 3 };
const statusError = 2;

/** A span in OTLP JSON. @param trace - 32 hexadecimal digits */
const otlpSpan = (trace: string, span: Span): Readonly<Record<string, unknown>> => ({
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
const traceId = (question: RecordedQuestion): string => hexadecimal(keyOf(question));

/** 16 hexadecimal digits. @param part - of the question, such as `turn 3 chat` */
const spanId = (question: RecordedQuestion, part: string): string =>
  hexadecimal(`${keyOf(question)} ${part}`).slice(0, 16);

const hexadecimal = (name: string): string => uuid5(name, uuid5.URL).replaceAll('-', '');

/** The start time distinguishes runs with the same id. */
const keyOf = ({ manifest, item, result }: RecordedQuestion): string =>
  `turnwise run ${manifest.run} ${manifest.startedAt} ${item.uuid} ${result.epoch}`;

type Part = Readonly<Record<string, unknown>>;

/** `gen_ai.input.messages`: the messages of a request, as JSON in the convention's schema. A label replaces each picture. */
const inputMessages = (messages: readonly ChatMessage[]): string =>
  wellFormedJsonOf(messages.map((message) => ({ role: roleOf(message), parts: partsIn(message) })));

/** `gen_ai.output.messages`: the reply. */
const outputMessages = (reply: ReplyRecord, finishReason: string): string =>
  wellFormedJsonOf([
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
