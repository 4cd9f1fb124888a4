import { otlpAttributes, type Attributes } from './otlp-value.js';

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
