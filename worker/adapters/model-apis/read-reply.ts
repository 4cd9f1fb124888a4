import type { ModelReply } from '../../../activities/ports/model.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { apiFacts } from '../../../domain/model-api.js';
import type { ToolCall } from '../../../domain/models/chat-message.js';
import { splitReasoning } from '../../../domain/models/reasoning.js';
import { readRateLimit } from '../../../domain/rate-limits/rate-limit-headers.js';
import type { EndpointReply } from './call-endpoint.js';
import { emptyReplyFailure, nonsenseFailure, statusFailure, type Asked } from './failures.js';

/** What a reply says, whatever its API. */
export type ReadReply =
  | {
      readonly kind: 'reply';
      readonly text: string;
      /** Apart from the text; blank where there is none. */
      readonly thoughts: readonly (string | null | undefined)[];
      readonly toolCalls: readonly ToolCall[];
      readonly finishReason: ModelReply['finishReason'];
      /** Why there may be no text. Continues "sent no text". */
      readonly withheld?: string | undefined;
      readonly model: string | undefined;
      readonly isSimulated: boolean;
      readonly tokens: ModelReply['tokens'];
    }
  /** A failure under a success status. */
  | { readonly kind: 'late-error'; readonly status: number; readonly body: unknown };

/**
 * Reads the body of a reply with a success status. Throws PortFailure unless it has text or tool calls, or has reached the
 * token limit during its reasoning, which a retry would only repeat.
 * @param read - undefined for JSON that is no reply of the API
 */
export function readReply(
  { body, headers }: EndpointReply,
  asked: Asked,
  read: (json: unknown) => ReadReply | undefined,
): ModelReply {
  const json = jsonIn(body);
  if (json === undefined) throw nonsenseFailure(`sent ${looksLike(body)}`, headers, asked);
  const reply = read(json);
  if (reply === undefined) {
    const what = apiFacts[asked.api].reply;
    throw nonsenseFailure(`sent JSON that is not ${what}`, headers, asked);
  }
  if (reply.kind === 'late-error') throw statusFailure({ ...reply, headers }, asked);

  const { content, reasoning } = textsOf(reply);
  const toolCalls = asked.tools ? reply.toolCalls : [];
  const { finishReason } = reply;
  if (content === '' && toolCalls.length === 0 && finishReason !== 'length')
    throw emptyReplyFailure(whyEmpty(reply, reasoning), headers, asked);

  const model = reply.model ?? asked.model;
  const rateLimit = readRateLimit((name) => headers.get(name), Date.now());
  return {
    content,
    ...(reasoning !== null && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
    finishReason,
    model: reply.isSimulated ? `${model} (simulated)` : model,
    tokens: reply.tokens,
    ...(rateLimit && { rateLimit }),
  };
}

type Reply = Extract<ReadReply, { readonly kind: 'reply' }>;

/** Reasoning may also be in marks inside the text. Blank content becomes empty. */
function textsOf({ text, thoughts }: Reply): { content: string; reasoning: string | null } {
  const { content, reasoning } = splitReasoning(text);
  const known = [...thoughts, reasoning]
    .map((piece) => piece?.trim() ?? '')
    .filter((piece) => piece !== '');
  return {
    content: content.trim() === '' ? '' : content,
    reasoning: known.length > 0 ? known.join('\n\n') : null,
  };
}

function whyEmpty({ withheld, toolCalls }: Reply, reasoning: string | null): string {
  if (withheld !== undefined) return withheld;
  if (toolCalls.length > 0) return 'only tool calls, which were not offered';
  return reasoning === null ? 'the content is empty' : 'there is reasoning, and nothing after it';
}

/** For `withheld`. */
export const filtered = "the provider's content filter removed it";
export const declined = 'the model declined to answer';

function looksLike(body: string): string {
  if (body.trim() === '') return 'an empty body instead of JSON';
  return /^\s*<(!doctype|html|head|body)/i.test(body)
    ? "an HTML page instead of JSON: check that the base URL is the API's, not a website's or a proxy's"
    : 'broken JSON';
}
