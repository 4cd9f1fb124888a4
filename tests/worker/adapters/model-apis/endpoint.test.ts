import { afterEach, describe, expect, it } from 'vitest';
import { environmentSchema } from '../../../../domain/settings.js';
import { askEndpoints } from '../../../../worker/adapters/model-apis/endpoint.js';
import { startHttpEndpoint, type HttpEndpoint } from '../../../support/fakes/http-endpoint.js';

describe('asking the model endpoint', () => {
  let endpoint: HttpEndpoint | undefined;
  afterEach(async () => {
    await endpoint?.close();
    endpoint = undefined;
  });

  it('asks nothing when nothing is configured', async () => {
    expect(await askEndpoints(environmentSchema.parse({}))).toEqual([
      { api: 'chat', kind: 'unset' },
    ]);
  });

  it('asks for the models with the key, and keeps the key to itself', async () => {
    endpoint = await startHttpEndpoint((response) => void response.writeHead(401).end());
    const environment = environmentSchema.parse({
      OPENAI_BASE_URL: `${endpoint.url}/v1/`,
      OPENAI_API_KEY: 'sk-private',
    });
    const answer = await askEndpoints(environment);
    expect(answer).toEqual([
      { api: 'chat', kind: 'answered', url: `${endpoint.url}/v1`, httpStatus: 401 },
    ]);
    expect(endpoint.received).toMatchObject([
      { path: '/v1/models', headers: { authorization: 'Bearer sk-private' } },
    ]);
    expect(JSON.stringify(answer)).not.toContain('private');
  });

  it('shows neither name nor password of the address', async () => {
    const environment = environmentSchema.parse({ OPENAI_BASE_URL: 'http://me:word@127.0.0.1:9/' });
    const answer = await askEndpoints(environment);
    expect(answer).toMatchObject([{ kind: 'unreachable', url: 'http://127.0.0.1:9' }]);
    expect(JSON.stringify(answer)).not.toContain('word');
  });

  it('says why nobody answered', async () => {
    endpoint = await startHttpEndpoint(() => undefined);
    const { url } = endpoint;
    await endpoint.close();
    const answer = await askEndpoints(environmentSchema.parse({ OPENAI_BASE_URL: url }));
    expect(answer).toMatchObject([{ kind: 'unreachable', url }]);
  });
});
