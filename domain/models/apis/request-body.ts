import { chatBody, type ChatRequest } from '../chat-request.js';
import { apiFacts, type ModelApi, type RequestBody } from '../../model-api.js';
import { responsesBody, textOf } from './responses-body.js';
import { partsOf, type ChatMessage, type ContentPart } from '../chat-message.js';
import type { ModelSettings } from '../model-settings.js';
import { argumentsObject, inlinePicture, turnsOf } from './turns.js';

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

/** `/v1beta/models/NAME:generateContent`. Tuned models have a folder of their own in their names. */
export function geminiPath({ model, stream }: Pick<ChatRequest, 'model' | 'stream'>): string {
  const segments = model.split('/').map(encodeURIComponent).join('/');
  const name = model.includes('/') ? `/v1beta/${segments}` : `${apiFacts.gemini.path}/${segments}`;
  return stream ? `${name}:streamGenerateContent?alt=sse` : `${name}:generateContent`;
}

/** The body of a request of Gemini's `generateContent`. Its address names the model. */
export function geminiBody(request: ChatRequest): RequestBody {
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

/** The body of a request of Anthropic's Messages API. */
export function anthropicBody(request: ChatRequest): RequestBody {
  const { model, tools, replySchema, temperature, topP, reasoningEffort: effort } = request;
  const { system, turns } = turnsOf(request, blocksOf);
  const thinks = effort !== null && effort !== 'none';
  const output = {
    ...(thinks && { effort }),
    ...(replySchema && { format: { type: 'json_schema', schema: replySchema.schema } }),
  };
  return {
    ...request.extraBody,
    model,
    ...(system.length > 0 && { system: system.map(({ content }) => textOf(content)).join('\n\n') }),
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
