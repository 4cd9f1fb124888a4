import { partsOf, type ChatMessage } from '../../models/chat-message.js';
import type { MessageContent } from '../../questions/message.js';
import type { ReplyRecord } from '../../questions/turn-record.js';
import { argumentsIn } from '../action-arguments.js';
import type { InspectObject } from './inspect-object.js';
import { inspectToolCall } from './inspect-tool-call.js';

/** A message of a conversation as a chat message of Inspect. */
export function inspectMessage(message: ChatMessage): InspectObject {
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

/** What the model said, as it came, with what it thought aloud. */
export const replyMessage = ({ raw, reasoning, toolCalls, model }: ReplyRecord): InspectObject => ({
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
