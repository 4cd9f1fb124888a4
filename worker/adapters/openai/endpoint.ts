import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { OpenAI, type APIError } from 'openai';

/** An endpoint's address in a normal form, to be compared and hashed. */
export const endpointUrl = (baseUrl: string): string => new URL(baseUrl).href.replace(/\/+$/, '');

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;
/** Shorter values, such as `1` or `true`, are no secrets and occur in many texts. */
const shortest = 6;

/** The values of environment variables whose names indicate a secret. No message may repeat them. */
export const secretsOfEnvironment = (env: NodeJS.ProcessEnv): readonly string[] =>
  Object.entries(env).flatMap(([name, value = '']) =>
    secretName.test(name) && value.length >= shortest ? [value] : [],
  );

/** The configured key and the base URL it is for. It is sent to no other address. */
export interface EndpointKey {
  readonly apiKey: string | undefined;
  readonly keyIsFor: string;
}

/** Some OpenAI-compatible servers without authentication still require a bearer token. */
const placeholderKey = 'none';

/** The key for a base URL; undefined if there is none. */
export const keyFor = ({ apiKey, keyIsFor }: EndpointKey, baseUrl: string): string | undefined =>
  apiKey !== undefined && sameEndpoint(baseUrl, keyIsFor) ? apiKey : undefined;

export interface OpenAiEndpoint {
  readonly client: OpenAI;
  readonly keySent: boolean;
}

/** A client without retries, which neither prints to the console nor reads environment variables. */
export function openAiEndpoint(key: EndpointKey, baseUrl: string): OpenAiEndpoint {
  const apiKey = keyFor(key, baseUrl);
  const client = new PlainErrorsClient({
    baseURL: baseUrl,
    apiKey: apiKey ?? placeholderKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: patientFetch,
  });
  return { client, keySent: apiKey !== undefined };
}

/** Some servers (older vLLM, TGI) send the error's fields at the top level, where the library does not read them. */
class PlainErrorsClient extends OpenAI {
  protected override makeStatusError(
    status: number,
    body: object | undefined,
    message: string | undefined,
    headers: Headers,
  ): APIError {
    const error = body === undefined || 'error' in body ? body : { error: body };
    return OpenAI.APIError.generate(status, error, message, headers);
  }
}

const sameEndpoint = (a: string, b: string): boolean => endpointUrl(a) === endpointUrl(b);

const plain = new HttpAgent({ keepAlive: true });
const secure = new HttpsAgent({ keepAlive: true });
const bodyless = new Set([204, 205, 304]);

/**
 * A `fetch` for slow endpoints. Node's own fails after five minutes without headers, and models that reason may take longer.
 * That timeout can only be changed with a second copy of Node's HTTP client. This one sends texts only, follows no
 * redirects, reads no compressed replies, and resolves when the whole body has arrived.
 */
export const patientFetch: typeof fetch = async (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const [send, agent] =
    url.protocol === 'https:' ? [httpsRequest, secure] : ([httpRequest, plain] as const);
  const { method = 'GET', body, signal } = init;
  if (typeof body !== 'string' && body !== undefined && body !== null) {
    throw new TypeError('Only texts are sent.');
  }
  return new Promise((resolve, reject) => {
    const call = send(url, {
      method,
      headers: {
        ...Object.fromEntries(new Headers(init.headers)),
        ...(typeof body === 'string' && { 'content-length': Buffer.byteLength(body) }),
      },
      agent,
      ...(signal && { signal }),
    });
    call.once('error', reject);
    call.once('response', (reply) => {
      buffer(reply).then((content) => {
        const headers = new Headers();
        for (const [name, values = []] of Object.entries(reply.headersDistinct)) {
          for (const value of values) headers.append(name, value);
        }
        const status = reply.statusCode as number; // Every reply has one.
        const statusText = reply.statusMessage ?? '';
        resolve(
          new Response(bodyless.has(status) ? null : content, { status, statusText, headers }),
        );
      }, reject);
    });
    call.end(body);
  });
};
