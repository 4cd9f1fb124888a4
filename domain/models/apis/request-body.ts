import { jsonIn } from '../../formats/json.js';
import { apiFacts, type ModelApi, type RequestBody } from '../../model-api.js';
import {
  chatBody,
  partsOf,
  placeSystemMessage,
  type ChatRequest,
  type ChatMessage,
  type MessageContent,
  type ContentPart,
} from '../chat-message.js';
import type { ModelSettings } from '../model-settings.js';

const bodies: Readonly<Record<ModelApi, (request: ChatRequest) => RequestBody>> = {
  chat: chatBody,
  responses: responsesBody,
  anthropic: anthropicBody,
  gemini: geminiBody,
};

/** Converts a request to the body that its API, model and endpoint accept. Settings that are null are left out. */
export const requestBody = (request: ChatRequest): RequestBody => bodies[request.api](request);

/** What follows the address of the API. */
export const requestPath = (request: Pick<ChatRequest, 'api' | 'model' | 'stream'>): string =>
  request.api === 'gemini' ? geminiPath(request) : apiFacts[request.api].path;

/** The body of a request of OpenAI's Responses API. The provider is told to keep nothing. */
function responsesBody(request: ChatRequest): RequestBody {
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
const textOf = (content: MessageContent): string =>
  partsOf(content)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');

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

/** `/v1beta/models/NAME:generateContent`. Tuned models have a folder of their own in their names. */
function geminiPath({ model, stream }: Pick<ChatRequest, 'model' | 'stream'>): string {
  const segments = model.split('/').map(encodeURIComponent).join('/');
  const name = model.includes('/') ? `/v1beta/${segments}` : `${apiFacts.gemini.path}/${segments}`;
  return stream ? `${name}:streamGenerateContent?alt=sse` : `${name}:generateContent`;
}

/** The body of a request of Gemini's `generateContent`. Its address names the model. */
function geminiBody(request: ChatRequest): RequestBody {
  const { messages, tools, replySchema, temperature, topP, seed, extraBody } = request;
  const names = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant'
        ? (message.tool_calls ?? []).map(({ id, function: { name } }) => [id, name] as const)
        : [],
    ),
  );
  const { system, turns } = turnsOf(request, (message) => partsOfMessage(message, request, names));
  const { generationConfig } = extraBody;
  return {
    ...extraBody,
    ...(system.length > 0 && {
      systemInstruction: { parts: system.map(({ content }) => ({ text: textOf(content) })) },
    }),
    contents: turns.map(({ isModel, blocks }) => ({
      role: isModel ? 'model' : 'user',
      parts: blocks,
    })),
    ...(tools && {
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            parametersJsonSchema: parameters,
          })),
        },
      ],
    }),
    generationConfig: {
      ...(typeof generationConfig === 'object' &&
        !Array.isArray(generationConfig) &&
        generationConfig),
      ...(temperature !== null && { temperature }),
      ...(topP !== null && { topP }),
      maxOutputTokens: request.maxTokens,
      ...(seed !== null && { seed }),
      ...thinking(request),
      ...(replySchema && {
        responseMimeType: 'application/json',
        responseJsonSchema: replySchema.schema,
      }),
    },
  };
}

/** Tokens that stand for the efforts with models before Gemini 3, as Google equates them. */
const budgets = { none: 0, minimal: 1024, low: 1024, medium: 8192, high: 24_576 } as const;

const isBefore3 = (model: string): boolean => /gemini-[12]\b/.test(model);

function thinking({ model, reasoningEffort: effort }: ChatRequest): object {
  if (effort === null) return {};
  const asked: Partial<Record<NonNullable<ModelSettings['reasoningEffort']>, number>> = budgets;
  const thinkingBudget = asked[effort];
  const includeThoughts = effort !== 'none';
  return effort === 'none' || (isBefore3(model) && thinkingBudget !== undefined)
    ? { thinkingConfig: { thinkingBudget, includeThoughts } }
    : { thinkingConfig: { thinkingLevel: effort, includeThoughts } };
}

function partsOfMessage(
  message: ChatMessage,
  { model }: ChatRequest,
  names: ReadonlyMap<string, string>,
): readonly object[] {
  if (message.role === 'tool') {
    const { tool_call_id: id, content } = message;
    const name = names.get(id) ?? id;
    return [{ functionResponse: { name, response: { result: textOf(content) } } }];
  }
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return [
    ...partsOf(message.content).flatMap(partOf),
    ...calls.map(({ function: { name, arguments: args } }, index) => ({
      functionCall: { name, args: argumentsObject(args) },
      // Google's mark for a history without the signatures of its thoughts, which Gemini 3 wants at the first call.
      ...(index === 0 &&
        !isBefore3(model) && { thoughtSignature: 'skip_thought_signature_validator' }),
    })),
  ];
}

function partOf(part: ContentPart): readonly object[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }];
  const { url } = part.image_url;
  const picture = inlinePicture(url);
  return [
    picture
      ? { inlineData: { mimeType: picture.type, data: picture.base64 } }
      : { fileData: { fileUri: url } },
  ];
}

/** Messages for an API that takes the instructions by themselves, and user and model in turn. */
interface Turns<Block> {
  readonly system: readonly ChatMessage[];
  readonly turns: readonly { readonly isModel: boolean; readonly blocks: readonly Block[] }[];
}

/** Neighbours of one side become one turn, as results of tools must. A message without any block is left out. */
function turnsOf<Block>(
  { messages, systemRole }: Pick<ChatRequest, 'messages' | 'systemRole'>,
  blocksOf: (message: ChatMessage) => readonly Block[],
): Turns<Block> {
  const placed = placeSystemMessage(messages, systemRole);
  const system = placed.filter(isInstruction);
  const turns: { readonly isModel: boolean; readonly blocks: Block[] }[] = [];
  for (const message of placed) {
    if (isInstruction(message)) continue;
    const isModel = message.role === 'assistant';
    const blocks = blocksOf(message);
    const last = turns.at(-1);
    if (last?.isModel === isModel) last.blocks.push(...blocks);
    else if (blocks.length > 0) turns.push({ isModel, blocks: [...blocks] });
  }
  return { system, turns };
}

const isInstruction = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';

/** The arguments of a tool call as an object, which these APIs require; invalid ones as the text that they are. */
export function argumentsObject(text: string): Readonly<Record<string, unknown>> {
  const value = jsonIn(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...value }
    : { arguments: text };
}

/** The type and the bytes of a picture in a data URL; null for an address. */
function inlinePicture(url: string): { readonly type: string; readonly base64: string } | null {
  const [, type, base64] = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? [];
  return type === undefined || base64 === undefined ? null : { type, base64 };
}
