import type { ReplyMessage, TokenCount } from '../completion.js';

/** A reply before it takes the form of an API. */
export interface SimulatedReply {
  /** Of the call, which becomes part of an id. */
  readonly number: number;
  readonly model: string;
  readonly message: ReplyMessage;
  readonly tokens: TokenCount;
}

/** An event of a stream. Some APIs send its type beside its data, too. */
export type StreamEvent = { readonly type?: string; readonly [field: string]: unknown } | '[DONE]';

/** Server-sent events. */
export const eventStream = (events: readonly StreamEvent[]): string =>
  events
    .map((event) =>
      typeof event === 'string'
        ? `data: ${event}\n\n`
        : `${event.type === undefined ? '' : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`,
    )
    .join('');

/** A text in the pieces of a stream. */
export const piecesOf = (text: string): readonly string[] => text.match(/[^]{1,24}/g) ?? [];

/** An error before it takes the form of an API. */
export interface SimulatedError {
  readonly status: number;
  readonly message: string;
  /** OpenAI's words for it. */
  readonly type: string;
  readonly code: string | null;
  /** Milliseconds until a call may succeed, if they are told. */
  readonly waitMs?: number | undefined;
}

/** How an API spells what the simulated model receives and sends. */
export interface SimulatedApi {
  /** A request in the form of chat completions, which the simulated model reads. */
  readonly asChat: (body: unknown, model: string) => unknown;
  readonly reply: (reply: SimulatedReply) => object;
  /** The same in pieces, as the events of a stream. */
  readonly events: (reply: SimulatedReply) => readonly StreamEvent[];
  readonly error: (error: SimulatedError) => object;
  /** Of a reply that says that the provider is overloaded. */
  readonly overloadStatus: 503 | 529;
  /** Of a reply that says that the key is wrong. */
  readonly keyStatus: 400 | 401;
  /** Whether a reply says in a header when to try again. */
  readonly sendsRetryAfter: boolean;
  /** The headers about limits, as the provider names them, from those of OpenAI. */
  readonly headers: (
    headers: Readonly<Record<string, string>>,
    nowMs: number,
  ) => Readonly<Record<string, string>>;
}

/** The text of a reply; empty beside tool calls, and for a reply whose content is missing. */
export const textIn = ({ content }: ReplyMessage): string => content ?? '';
