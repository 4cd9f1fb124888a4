import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelReply, ModelRequest } from '../../../../activities/ports/model.js';
import { PortFailure } from '../../../../activities/ports/port-failure.js';
import type { FailureType } from '../../../../domain/failure-type.js';
import { apiFacts } from '../../../../domain/model-api.js';
import { defaultRunConfig } from '../../../../domain/runs/run-config.js';
import { createModel } from '../../../../worker/adapters/model-apis/model.js';
import { startHttpEndpoint, type HttpEndpoint } from '../../../support/fakes/http-endpoint.js';
import { keysForAll } from '../../../support/model-calls/keys-for-all.js';
import { anthropicFixture } from '../../../support/model-apis/anthropic-fixture.js';
import {
  sentTool,
  type ApiFixture,
  type RecordedReply,
} from '../../../support/model-apis/api-fixture.js';
import { geminiFixture } from '../../../support/model-apis/gemini-fixture.js';
import { chatFixture, responsesFixture } from '../../../support/model-apis/openai-fixtures.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const apiKey = 'sk-very-secret-0123456789';

let endpoint: HttpEndpoint | undefined;
afterEach(async () => {
  await endpoint?.close();
  endpoint = undefined;
});

describe.each([chatFixture, responsesFixture, anthropicFixture, geminiFixture])(
  'a model behind $api',
  (fixture: ApiFixture) => {
    const { api } = fixture;

    /** The address under which the endpoint has the API. */
    async function serve(reply: RecordedReply): Promise<string> {
      const { status = 200, headers = {}, body } = reply;
      endpoint = await startHttpEndpoint((response) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      });
      return apiFacts[api].addressVariable === 'OPENAI_BASE_URL'
        ? `${endpoint.url}/v1`
        : endpoint.url;
    }

    async function ask(
      reply: RecordedReply,
      changes: Partial<ModelRequest> = {},
      keyIsFor?: string,
    ): Promise<ModelReply> {
      const baseUrl = await serve(reply);
      return createModel(keysForAll({ apiKey, keyIsFor: keyIsFor ?? baseUrl })).complete(
        {
          ...defaultRunConfig.model,
          api,
          baseUrl,
          model: 'test-model',
          messages: [{ role: 'user', content: 'Which of the four tracks?' }],
          timeoutMs: 30_000,
          ...changes,
        },
        new AbortController().signal,
      );
    }

    async function failureOf(...asked: Parameters<typeof ask>): Promise<PortFailure> {
      const error: unknown = await ask(...asked).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error instanceof PortFailure) return error;
      throw new Error(`expected a PortFailure, got ${String(error)}`);
    }

    it('replies with the text, the model that answered and the exact usage', async () => {
      const reasoning = fixture.textReasoning;
      expect(await ask(fixture.text)).toEqual({
        content: 'The four tracks.',
        finishReason: 'stop',
        model: 'test-model-2026',
        tokens: {
          prompt: 120,
          completion: 7,
          cached: 64,
          ...fixture.textTokens,
          ...(reasoning !== undefined && { reasoning }),
        },
        ...(fixture.servedBy && { servedBy: fixture.servedBy }),
        exchange: expect.anything() as unknown,
      });
    });

    it('tells the digests of the request as it arrived and of the reply as it was sent', async () => {
      const { exchange } = await ask(fixture.text);
      const { id, responseId = id } = fixture.text.body as { id?: string; responseId?: string };
      expect(exchange).toEqual({
        request: sha256(endpoint?.received[0]?.body ?? ''),
        reply: sha256(JSON.stringify(fixture.text.body)),
        ...(responseId !== undefined && { id: responseId }),
      });
    });

    it('tells of a request that failed the status and the same digests', async () => {
      const { options } = await failureOf(fixture.overloaded);
      const { status, body } = fixture.overloaded;
      expect(options.exchange).toEqual({
        at: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
        request: sha256(endpoint?.received[0]?.body ?? ''),
        status,
        reply: sha256(typeof body === 'string' ? body : JSON.stringify(body)),
      });
    });

    it('is sent messages, pictures, tools, calls and results in the form of the API', async () => {
      await ask(fixture.text, {
        tools: [sentTool],
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Which?' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            ],
          },
          {
            role: 'assistant',
            content: '',
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
          { role: 'user', content: 'And now?' },
        ],
        kept: 5,
      });
      expect(endpoint?.received).toHaveLength(1);
      const [received] = endpoint?.received ?? [];
      expect(received?.path).toBe(fixture.path);
      expect(JSON.parse(received?.body ?? '')).toEqual(fixture.sent);
    });

    it('has its reasoning apart from the text, and counts it in the completion', async () => {
      expect(await ask(fixture.reasoned)).toMatchObject({
        content: 'yes',
        reasoning: 'hm',
        tokens: { prompt: 120, completion: 12, cached: 64, reasoning: 5 },
      });
    });

    it('calls tools', async () => {
      expect(await ask(fixture.toolCall, { tools: [sentTool] })).toMatchObject({
        content: 'Let me see.',
        finishReason: 'stop',
        toolCalls: [{ id: 'call_1', name: 'look', argumentsText: '{"at":1}' }],
      });
    });

    it('says when a text was cut at the token limit', async () => {
      expect(await ask(fixture.cut)).toMatchObject({ content: 'The four', finishReason: 'length' });
    });

    it('that was cut off in its reasoning has been paid for, and is not asked again', async () => {
      expect(await ask(fixture.cutInReasoning)).toMatchObject({
        content: '',
        finishReason: 'length',
      });
    });

    it('that answers with nothing is paid all the same', async () => {
      const refused = api === 'anthropic' ? 'refused' : 'filtered';
      expect(await ask(fixture.filtered)).toMatchObject({ content: '', finishReason: refused });
      expect(await ask(fixture.empty)).toMatchObject({
        content: '',
        finishReason: 'stop',
        tokens: { prompt: expect.any(Number) as number },
      });
    });

    it.each<[string, RecordedReply]>([
      ['a web page', { body: '<!DOCTYPE html><html><body>Sign in</body></html>' }],
      ['another document', { body: fixture.other }],
      ['broken JSON', { body: '{"id": "' }],
    ])('that sends %s is no such model', async (_, reply) => {
      const failure = await failureOf(reply);
      expect(failure.type).toBe('ModelRepliedNonsense');
      expect(failure.options.mayBePaid).toBeUndefined();
    });

    it.each<[keyof ApiFixture, FailureType]>([
      ['wrongKey', 'ModelRefusedKey'],
      ['unknownModel', 'ModelUnknown'],
      ['limited', 'ModelRateLimited'],
      ['overloaded', 'ModelUnavailable'],
      ['failed', 'ModelUnavailable'],
      ['overflow', 'ContextOverflow'],
      ['unpaid', 'ModelQuotaSpent'],
      ['badSetting', 'ModelRejectedRequest'],
    ])('that answers %s fails as %s, after one request', async (kind, type) => {
      const failure = await failureOf(fixture[kind] as RecordedReply);
      expect(failure.type).toBe(type);
      expect(endpoint?.received).toHaveLength(1);
      expect(failure.message).not.toContain('sk-very');
    });

    it('says of a 429 when to try again, and which limit is exceeded', async () => {
      const { options } = await failureOf(fixture.limited);
      expect(options.retryAfterMs).toBe(7000);
      expect(options.rateLimit).toEqual(fixture.limits);
    });

    it('is sent the key of its API, at the address that the key is for alone', async () => {
      const [name, value] = fixture.keyHeader;
      await ask(fixture.text);
      expect(endpoint?.received[0]?.headers[name]).toBe(value);
      await endpoint?.close();
      const failure = await failureOf(fixture.wrongKey, {}, 'http://127.0.0.1:1');
      expect(JSON.stringify(endpoint?.received)).not.toContain(apiKey);
      expect(failure.message).toContain(`set ${apiFacts[api].keyVariable}`);
    });

    it('that is not waited for any longer ends with what the signal says', async () => {
      endpoint = await startHttpEndpoint(() => cancellation.abort(reason));
      const cancellation = new AbortController();
      const reason = new Error('the run was cancelled');
      const request = {
        ...defaultRunConfig.model,
        api,
        baseUrl: endpoint.url,
        model: 'test-model',
        messages: [{ role: 'user', content: 'Which?' }],
        timeoutMs: 30_000,
      } as const;
      const keys = keysForAll({ apiKey, keyIsFor: endpoint.url });
      await expect(createModel(keys).complete(request, cancellation.signal)).rejects.toBe(reason);
    });

    it('that does not answer in time is unavailable, and may be paid', async () => {
      endpoint = await startHttpEndpoint(() => undefined);
      const request = {
        ...defaultRunConfig.model,
        api,
        baseUrl: endpoint.url,
        model: 'test-model',
        messages: [{ role: 'user', content: 'Which?' }],
        timeoutMs: 50,
      } as const;
      const keys = keysForAll({ apiKey, keyIsFor: endpoint.url });
      await expect(
        createModel(keys).complete(request, new AbortController().signal),
      ).rejects.toMatchObject({ type: 'ModelUnavailable', options: { mayBePaid: true } });
    });
  },
);
