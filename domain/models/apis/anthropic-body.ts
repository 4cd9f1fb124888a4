import { partsOf, type ChatMessage, type ContentPart } from '../chat-message.js';
import type { ChatRequest } from '../chat-request.js';
import type { RequestBody } from '../../model-api.js';
import { textOf } from './responses-body.js';
import { argumentsObject, inlinePicture, turnsOf } from './turns.js';

/**
 * What marks the end of a prefix that the API is to cache. That of `extraBody` holds for all marks, because the API refuses
 * a longer time after a shorter one; null for no mark.
 */
export const cacheMark = ({
  extraBody: { cache_control: mark = { type: 'ephemeral' } },
}: Pick<ChatRequest, 'extraBody'>): unknown => mark;

/** The body of a request of Anthropic's Messages API. */
export function anthropicBody(request: ChatRequest): RequestBody {
  const { model, tools, replySchema, temperature, topP, reasoningEffort: effort } = request;
  const marked = markedMessage(request);
  const { system, turns } = turnsOf(request, (message) =>
    message === marked ? markedBlocks(message, cacheMark(request)) : blocksOf(message),
  );
  const thinks = effort !== null && effort !== 'none';
  const output = {
    ...(thinks && { effort }),
    ...(replySchema && { format: { type: 'json_schema', schema: replySchema.schema } }),
  };
  return {
    ...request.extraBody,
    model,
    ...(system.length > 0 && { system: systemOf(system, cacheMark(request)) }),
    messages: turns.map(({ isModel, blocks }) => ({
      role: isModel ? 'assistant' : 'user',
      content: blocks,
    })),
    ...(tools && {
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: parameters,
      })),
    }),
    // A model that thinks refuses both.
    ...(temperature !== null && !thinks && { temperature }),
    ...(topP !== null && !thinks && { top_p: topP }),
    max_tokens: request.maxTokens,
    ...(effort !== null && { thinking: { type: thinks ? 'adaptive' : 'disabled' } }),
    ...(Object.keys(output).length > 0 && { output_config: output }),
    ...(request.stream && { stream: true }),
  };
}

function systemOf(system: readonly ChatMessage[], mark: unknown): string | readonly object[] {
  const text = system.map(({ content }) => textOf(content)).join('\n\n');
  // The API refuses a blank text in a list.
  if (mark === null || text.trim() === '') return text;
  return [{ type: 'text', text, cache_control: mark }];
}

/** The last one that the next request has, too. `extraBody` marks the end by itself. */
const markedMessage = ({ messages, kept = 0, extraBody }: ChatRequest): ChatMessage | undefined =>
  extraBody.cache_control === undefined ? messages[kept - 1] : undefined;

const markedBlocks = (message: ChatMessage, mark: unknown): readonly object[] => {
  const blocks = blocksOf(message);
  return [
    ...blocks.slice(0, -1),
    ...blocks.slice(-1).map((last) => ({ ...last, cache_control: mark })),
  ];
};

function blocksOf(message: ChatMessage): readonly object[] {
  if (message.role === 'tool') {
    const { tool_call_id: id, content } = message;
    return [{ type: 'tool_result', tool_use_id: id, content: textOf(content) }];
  }
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return [
    ...partsOf(message.content).flatMap(blockOf),
    ...calls.map(({ id, function: { name, arguments: args } }) => ({
      type: 'tool_use',
      id,
      name,
      input: argumentsObject(args),
    })),
  ];
}

/** The API refuses a text without any letter. */
function blockOf(part: ContentPart): readonly object[] {
  if (part.type === 'text') {
    return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
  }
  const { url } = part.image_url;
  const picture = inlinePicture(url);
  const source = picture
    ? { type: 'base64', media_type: picture.type, data: picture.base64 }
    : { type: 'url', url };
  return [{ type: 'image', source }];
}
