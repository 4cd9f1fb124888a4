import { z } from 'zod';
import { simulatedFingerprint } from '../../domain/models/chat-message.js';
import {
  textIn,
  type SimulatedApi,
  type SimulatedError,
  type SimulatedReply,
} from './simulated-api.js';

const args = z.record(z.string(), z.json());

const partSchema = z.union([
  z.strictObject({ text: z.string().min(1) }),
  z.strictObject({ inlineData: z.object({ mimeType: z.string(), data: z.string() }) }),
  z.strictObject({
    functionCall: z.object({ name: z.string(), args }),
    thoughtSignature: z.string().optional(),
  }),
  z.strictObject({
    functionResponse: z.object({ name: z.string(), response: z.object({ result: z.string() }) }),
  }),
]);
type Part = z.infer<typeof partSchema>;

const contentSchema = z.strictObject({
  role: z.enum(['user', 'model']),
  parts: z.array(partSchema).min(1),
});

const requestSchema = z.strictObject({
  systemInstruction: z
    .strictObject({ parts: z.array(z.strictObject({ text: z.string() })) })
    .optional(),
  contents: z.array(contentSchema).min(1),
  tools: z
    .array(
      z.strictObject({
        functionDeclarations: z.array(
          z.strictObject({
            name: z.string(),
            description: z.string(),
            parametersJsonSchema: args,
          }),
        ),
      }),
    )
    .optional(),
  generationConfig: z.looseObject({ maxOutputTokens: z.int().positive() }),
});

const reply = ({ number, model, message, tokens }: SimulatedReply): object => {
  const text = textIn(message);
  return {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            ...(text === '' ? [] : [{ text }]),
            ...(message.tool_calls ?? []).map(({ id, function: call }) => ({
              functionCall: {
                id,
                name: call.name,
                args: JSON.parse(call.arguments) as unknown,
              },
            })),
          ],
        },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: tokens.prompt,
      candidatesTokenCount: tokens.completion,
      totalTokenCount: tokens.prompt + tokens.completion,
      ...(tokens.cached > 0 && { cachedContentTokenCount: tokens.cached }),
    },
    modelVersion: model,
    responseId: `${number}_${simulatedFingerprint}`,
  };
};

/** Gemini's `generateContent`. */
export const geminiApi: SimulatedApi = {
  asChat: (body, model) => {
    const { systemInstruction, contents, tools, generationConfig } = requestSchema.parse(body);
    return {
      model,
      messages: [
        ...(systemInstruction?.parts ?? []).map(({ text }) => ({ role: 'system', content: text })),
        ...contents.flatMap(messagesOf),
      ],
      ...(tools && {
        tools: tools
          .flatMap(({ functionDeclarations }) => functionDeclarations)
          .map(({ parametersJsonSchema: parameters, ...tool }) => ({
            type: 'function',
            function: { ...tool, parameters },
          })),
      }),
      ...('responseJsonSchema' in generationConfig && {
        response_format: { type: 'json_schema' },
      }),
    };
  },
  error: (error) => ({
    error: {
      code: error.code === 'invalid_api_key' ? 400 : error.status,
      message: error.message,
      status: statusName(error),
      details: detailsOf(error),
    },
  }),
  overloadStatus: 503,
  keyStatus: 400,
  sendsRetryAfter: false,
  // It says nothing of its limits before they are exceeded, and then in the body.
  headers: () => ({}),
  reply,
  events: (sent) => [{ ...reply(sent) }],
};

function statusName({ status }: SimulatedError): string {
  if (status === 429) return 'RESOURCE_EXHAUSTED';
  if (status === 503) return 'UNAVAILABLE';
  return status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT';
}

const google = 'type.googleapis.com/google.rpc';

function detailsOf({ status, code, type, waitMs }: SimulatedError): readonly object[] {
  if (code === 'invalid_api_key')
    return [{ '@type': `${google}.ErrorInfo`, reason: 'API_KEY_INVALID' }];
  if (status !== 429) return [];
  const what = type === 'tokens' ? 'InputTokens' : 'Requests';
  const quotaId = `Generate${what}PerMinutePerProjectPerModel`;
  return [
    { '@type': `${google}.QuotaFailure`, violations: [{ quotaId }] },
    ...(waitMs === undefined
      ? []
      : [{ '@type': `${google}.RetryInfo`, retryDelay: `${Math.ceil(waitMs) / 1000}s` }]),
  ];
}

function messagesOf({ role, parts }: z.infer<typeof contentSchema>): readonly object[] {
  const results = parts.flatMap((part) =>
    'functionResponse' in part
      ? [{ role: 'tool', content: part.functionResponse.response.result }]
      : [],
  );
  const calls = parts.flatMap((part) =>
    'functionCall' in part
      ? [
          {
            id: part.functionCall.name,
            function: {
              name: part.functionCall.name,
              arguments: JSON.stringify(part.functionCall.args),
            },
          },
        ]
      : [],
  );
  const content = parts.flatMap(partOf);
  if (content.length === 0 && calls.length === 0) return results;
  return [
    ...results,
    {
      role: role === 'model' ? 'assistant' : 'user',
      content,
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

function partOf(part: Part): readonly object[] {
  if ('text' in part) return [{ type: 'text', text: part.text }];
  if (!('inlineData' in part)) return [];
  const { mimeType, data } = part.inlineData;
  return [{ type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } }];
}
