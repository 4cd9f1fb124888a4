import {
  partsOf,
  placeSystemMessage,
  type ChatMessage,
  type MessageContent,
} from '../chat-message.js';
import type { ChatRequest } from '../chat-request.js';
import type { RequestBody } from '../../model-api.js';

/** The body of a request of OpenAI's Responses API. The provider is told to keep nothing. */
export function responsesBody(request: ChatRequest): RequestBody {
  const { model, messages, tools, replySchema, temperature, topP, reasoningEffort } = request;
  return {
    ...request.extraBody,
    model,
    input: placeSystemMessage(messages, request.systemRole).flatMap(itemsOf),
    store: false,
    // Without `strict: false` the API rewrites the schemas.
    ...(tools && { tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })) }),
    ...(replySchema && {
      text: { format: { type: 'json_schema', ...replySchema, strict: true } },
    }),
    ...(temperature !== null && { temperature }),
    ...(topP !== null && { top_p: topP }),
    max_output_tokens: request.maxTokens,
    ...(reasoningEffort !== null && { reasoning: { effort: reasoningEffort } }),
    ...(request.stream && { stream: true }),
  };
}

function itemsOf(message: ChatMessage): readonly object[] {
  switch (message.role) {
    case 'tool':
      return [
        {
          type: 'function_call_output',
          call_id: message.tool_call_id,
          output: textOf(message.content),
        },
      ];
    case 'assistant': {
      const text = textOf(message.content);
      const { tool_calls: calls = [] } = message;
      return [
        ...(text === '' && calls.length > 0 ? [] : [{ role: 'assistant', content: text }]),
        ...calls.map(({ id, function: { name, arguments: args } }) => ({
          type: 'function_call',
          call_id: id,
          name,
          arguments: args,
        })),
      ];
    }
    case 'system':
    case 'developer':
    case 'user':
      return [{ role: message.role, content: inputOf(message.content) }];
  }
}

const inputOf = (content: MessageContent): unknown =>
  typeof content === 'string'
    ? content
    : content.map((part) =>
        part.type === 'text'
          ? { type: 'input_text', text: part.text }
          : { type: 'input_image', image_url: part.image_url.url },
      );

/** Only messages of users have pictures. */
export const textOf = (content: MessageContent): string =>
  partsOf(content)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
