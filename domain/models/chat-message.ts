import type { MessageContent } from '../questions/message.js';

export type ChatPart = Exclude<MessageContent, string>[number];

/** A call of a tool, exactly as OpenAI has it. */
export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/**
 * A message of a chat completion request. A call of a tool is followed by its result under the call's id, which holds
 * words only.
 */
export type ChatMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly content: MessageContent }
  | {
      readonly role: 'assistant';
      readonly content: MessageContent;
      readonly tool_calls?: readonly ChatToolCall[];
    }
  | { readonly role: 'tool'; readonly content: MessageContent; readonly tool_call_id: string };

export const partsOf = (content: MessageContent): readonly ChatPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

export const hasImage = ({ content }: ChatMessage): boolean =>
  partsOf(content).some(({ type }) => type === 'image_url');
