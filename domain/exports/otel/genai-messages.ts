import { partsOf, type ChatMessage } from '../../models/chat-message.js';
import { pictureLabel, type MessageContent } from '../../questions/message.js';
import type { ReplyRecord } from '../../questions/turn-record.js';
import { argumentsIn } from '../action-arguments.js';

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
