import { partsOf, type ChatMessage, type ContentPart } from '../chat-message.js';
import type { ChatRequest } from '../chat-request.js';
import type { ModelSettings } from '../model-settings.js';
import { apiFacts, type RequestBody } from '../../model-api.js';
import { textOf } from './responses-body.js';
import { argumentsObject, inlinePicture, turnsOf } from './turns.js';

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
