import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { questionTrace } from '../../../../client/views/exports/question-spans.js';
import { hostileText } from '../../../support/runs/recorded-run.js';
import { recordedQuestion } from '../../../support/runs/recorded-question.js';

const attributeSchema = z.strictObject({
  key: z.string(),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
    z.strictObject({ doubleValue: z.number() }),
    z.strictObject({ boolValue: z.boolean() }),
    z.strictObject({
      arrayValue: z.strictObject({
        values: z.array(z.strictObject({ stringValue: z.string() })),
      }),
    }),
  ]),
});
const nanoseconds = z.string().regex(/^\d{19}$/);

/** The part of OTLP's `TracesData` that the export writes. */
const tracesSchema = z.strictObject({
  resourceSpans: z.tuple([
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(attributeSchema) }),
      scopeSpans: z.tuple([
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(
            z.strictObject({
              traceId: z.string().regex(/^[0-9a-f]{32}$/),
              spanId: z.string().regex(/^[0-9a-f]{16}$/),
              parentSpanId: z
                .string()
                .regex(/^[0-9a-f]{16}$/)
                .optional(),
              name: z.string(),
              kind: z.int(),
              startTimeUnixNano: nanoseconds,
              endTimeUnixNano: nanoseconds,
              attributes: z.array(attributeSchema),
              events: z
                .array(
                  z.strictObject({
                    name: z.string(),
                    timeUnixNano: nanoseconds,
                    attributes: z.array(attributeSchema),
                  }),
                )
                .optional(),
              status: z.strictObject({
                code: z.literal(2).optional(),
                message: z.string().optional(),
              }),
            }),
          ),
        }),
      ]),
    }),
  ]),
});

function spansOf(uuid: string, withTexts = false) {
  const trace = questionTrace(recordedQuestion(uuid), withTexts);
  const [resource] = tracesSchema.parse(JSON.parse(JSON.stringify(trace))).resourceSpans;
  return resource.scopeSpans[0].spans.map((span) => ({
    ...span,
    attributes: Object.fromEntries(
      span.attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]),
    ),
  }));
}

describe('a question as a trace', () => {
  it('is a span for the question, one for each reply and one for each action', () => {
    const [agent, ...inner] = spansOf('right');
    expect(agent).toMatchObject({ name: 'invoke_agent hybrid_react', kind: 1, status: {} });
    expect(agent).not.toHaveProperty('parentSpanId');
    expect(inner.map(({ name, kind }) => [name, kind])).toEqual([
      ['chat a-model', 3],
      ['execute_tool RetrieveFromDatabase', 1],
      ['chat a-model', 3],
      ['chat a-model', 3],
    ]);
    expect(new Set(inner.map(({ parentSpanId }) => parentSpanId))).toEqual(
      new Set([agent?.spanId]),
    );
    expect(new Set(spansOf('right').map(({ spanId }) => spanId)).size).toBe(5);
  });

  it('has the same ids in every export, and each only once', () => {
    const ids = (uuid: string) =>
      spansOf(uuid).map(({ traceId, spanId }) => `${traceId} ${spanId}`);
    expect(ids('right')).toEqual(ids('right'));
    expect(ids('right').filter((id) => ids('hostile').includes(id))).toEqual([]);
  });

  it('has the request settings, the usage and the finish reason of a model call', () => {
    const [, chat] = spansOf('right');
    expect(chat).toMatchObject({
      startTimeUnixNano: '1767225610000000000',
      endTimeUnixNano: '1767225614000000000',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': '127.0.0.1',
        'gen_ai.request.model': 'a-model',
        'gen_ai.response.model': 'a-model-2026',
        'gen_ai.request.temperature': 0.7,
        'gen_ai.request.max_tokens': '1500',
        'gen_ai.response.finish_reasons': { values: [{ stringValue: 'stop' }] },
        'gen_ai.usage.input_tokens': '100',
        'gen_ai.usage.output_tokens': '10',
        'gen_ai.usage.cache_read.input_tokens': '40',
        'gen_ai.usage.cache_creation.input_tokens': '0',
        'gen_ai.usage.reasoning.output_tokens': '5',
        'server.address': '127.0.0.1',
        'server.port': '1',
      },
    });
  });

  it('names the tool', () => {
    expect(spansOf('right')[2]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'RetrieveFromDatabase',
      'gen_ai.tool.call.id': 'turn_1',
      'gen_ai.tool.type': 'datastore',
    });
  });

  it('has its score as an event, without a number if it is unscored', () => {
    const event = (uuid: string) => spansOf(uuid)[0]?.events?.[0];
    expect(event('right')).toMatchObject({
      name: 'gen_ai.evaluation.result',
      attributes: expect.arrayContaining([
        { key: 'gen_ai.evaluation.score.value', value: { doubleValue: 1 } },
      ]) as unknown,
    });
    expect(event('unjudged')?.attributes).toEqual([
      { key: 'gen_ai.evaluation.name', value: { stringValue: 'eval_scidqa' } },
      { key: 'gen_ai.evaluation.score.label', value: { stringValue: 'needs-judge' } },
    ]);
  });

  it('is an error only if the question failed for outside reasons', () => {
    expect(spansOf('failed')[0]).toMatchObject({
      status: { code: 2, message: 'no route to host' },
      attributes: { 'error.type': 'ModelUnavailable' },
    });
    expect(spansOf('limited')[0]?.status).toEqual({});
  });

  it('contains texts of prompts, replies and results only on request', () => {
    const texts = ['How many turns?', 'reply 1', 'SELECT count(*)', 'count\\n20', 'You answer'];
    const found = (withTexts: boolean) => {
      const trace = JSON.stringify(questionTrace(recordedQuestion('right'), withTexts));
      return texts.filter((text) => trace.includes(text));
    };
    expect(found(false)).toEqual([]);
    expect(found(true)).toHaveLength(texts.length);
    const [agent, chat, tool] = spansOf('hostile', true);
    expect(agent?.attributes['turnwise.answer']).toBe(hostileText);
    expect(JSON.parse(String(chat?.attributes['gen_ai.output.messages']))).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: hostileText },
          { type: 'text', content: hostileText },
        ],
        finish_reason: 'stop',
      },
    ]);
    const sent = JSON.parse(String(chat?.attributes['gen_ai.input.messages'])) as object[];
    expect(sent).toMatchObject([{ role: 'system' }, { role: 'user' }]);
    expect(tool?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': JSON.stringify({ sql: hostileText }),
      'gen_ai.tool.call.result': hostileText,
    });
  });
});

describe('the provider of a model', () => {
  it.each([
    ['https://api.openai.com/v1', 'chat', 'openai'],
    ['https://eu.api.openai.com/v1', 'responses', 'openai'],
    ['https://mine.openai.azure.com/openai/v1', 'chat', 'azure.ai.openai'],
    ['https://api.anthropic.com', 'anthropic', 'anthropic'],
    ['https://gateway.example.org', 'anthropic', 'anthropic'],
    ['https://generativelanguage.googleapis.com', 'gemini', 'gcp.gemini'],
    ['https://us-east1-aiplatform.googleapis.com', 'gemini', 'gcp.vertex_ai'],
    ['https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1', 'chat', 'aws.bedrock'],
    ['https://api.mistral.ai/v1', 'chat', 'mistral_ai'],
    ['https://api.x.ai/v1', 'chat', 'x_ai'],
    ['https://openrouter.ai/api/v1', 'chat', 'openrouter.ai'],
    ['https://openai.com.example.org/v1', 'chat', 'openai.com.example.org'],
    ['http://localhost:8000/v1', 'chat', 'localhost'],
  ] as const)('at %s in the API %s is %s', (baseUrl, api, provider) => {
    const question = recordedQuestion('right');
    const { manifest } = question;
    const model = { ...manifest.config.model, baseUrl, api };
    const asked = { ...question, manifest: { ...manifest, config: { ...manifest.config, model } } };
    expect(JSON.stringify(questionTrace(asked, false))).toContain(
      `{"key":"gen_ai.provider.name","value":{"stringValue":"${provider}"}}`,
    );
  });
});
