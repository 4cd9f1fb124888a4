import { sentTool, type ApiFixture, type RecordedReply } from './api-fixture.js';

const candidate = (
  parts: readonly object[] | undefined,
  finishReason: string,
  usage: object = {},
): RecordedReply => ({
  body: {
    candidates: [
      { content: parts ? { parts, role: 'model' } : { role: 'model' }, finishReason, index: 0 },
    ],
    usageMetadata: {
      promptTokenCount: 120,
      cachedContentTokenCount: 64,
      candidatesTokenCount: 7,
      totalTokenCount: 127,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 120 }],
      ...usage,
    },
    modelVersion: 'test-model-2026',
    responseId: 'p91',
  },
});

const google = 'type.googleapis.com/google.rpc';

const error = (
  code: number,
  status: string,
  message: string,
  details: readonly object[] = [],
): RecordedReply => ({ status: code, body: { error: { code, message, status, details } } });

export const geminiFixture: ApiFixture = {
  api: 'gemini',
  path: '/v1beta/models/test-model:generateContent',
  keyHeader: ['x-goog-api-key', 'sk-very-secret-0123456789'],
  text: candidate([{ text: 'The four ' }, { text: 'tracks.' }], 'STOP'),
  textReasoning: 0,
  reasoned: candidate(
    [
      { text: 'hm', thought: true },
      { text: 'yes', thoughtSignature: 'CikB' },
    ],
    'STOP',
    { candidatesTokenCount: 7, thoughtsTokenCount: 5, totalTokenCount: 132 },
  ),
  toolCall: candidate(
    [
      { text: 'Let me see.' },
      {
        functionCall: { id: 'call_1', name: 'look', args: { at: 1 } },
        thoughtSignature: 'CikB',
      },
    ],
    'STOP',
  ),
  cut: candidate([{ text: 'The four' }], 'MAX_TOKENS'),
  cutInReasoning: candidate(undefined, 'MAX_TOKENS'),
  filtered: {
    body: {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 120, totalTokenCount: 120 },
      modelVersion: 'test-model-2026',
    },
  },
  empty: candidate([{ text: '' }], 'STOP'),
  other: { models: [] },
  wrongKey: error(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
    { '@type': `${google}.ErrorInfo`, reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
  ]),
  unknownModel: error(
    404,
    'NOT_FOUND',
    'models/test-model is not found for API version v1beta, or is not supported.',
  ),
  limited: error(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [
    {
      '@type': `${google}.QuotaFailure`,
      violations: [
        {
          quotaMetric:
            'generativelanguage.googleapis.com/generate_content_paid_tier_input_token_count',
          quotaId: 'GenerateContentPaidTierInputTokensPerModelPerMinute',
          quotaDimensions: { location: 'global', model: 'test-model' },
          quotaValue: '30000',
        },
      ],
    },
    { '@type': `${google}.Help`, links: [{ description: 'more', url: 'https://ai.google.dev' }] },
    { '@type': `${google}.RetryInfo`, retryDelay: '7s' },
  ]),
  limits: { exceeded: 'tokens', exceededLimit: 30_000 },
  overloaded: error(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
  failed: error(500, 'INTERNAL', 'An internal error has occurred.'),
  overflow: error(
    400,
    'INVALID_ARGUMENT',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  ),
  unpaid: { status: 402, body: '' },
  badSetting: error(400, 'INVALID_ARGUMENT', 'Thinking level is not supported for this model.'),
  sent: {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      {
        role: 'user',
        parts: [{ text: 'Which?' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
      },
      {
        role: 'model',
        parts: [
          {
            functionCall: { name: 'look', args: { at: 1 } },
            thoughtSignature: 'skip_thought_signature_validator',
          },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'look', response: { result: 'seen' } } },
          { text: 'And now?' },
        ],
      },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'look', description: 'looks', parametersJsonSchema: sentTool.parameters },
        ],
      },
    ],
    generationConfig: { temperature: 0.7, topP: 0.95, maxOutputTokens: 1500 },
  },
};
