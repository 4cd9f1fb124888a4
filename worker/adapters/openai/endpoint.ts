import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { OpenAI, type APIError } from 'openai';

/** An endpoint's address as it is compared and hashed: however it was written, the same endpoint is the same text. */
export const endpointUrl = (baseUrl: string): string => new URL(baseUrl).href.replace(/\/+$/, '');

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;
/** A shorter value, such as `1` or `true`, is part of too many texts to be worth hiding. */
const shortest = 6;

/** What no message may repeat of an environment: the values of variables that are named like secrets. */
export const secretsOfEnvironment = (env: NodeJS.ProcessEnv): readonly string[] =>
  Object.entries(env).flatMap(([name, value = '']) =>
    secretName.test(name) && value.length >= shortest ? [value] : [],
  );

/** The configured key and the base URL it was given for: nobody else is shown it. */
export interface EndpointKey {
  readonly apiKey: string | undefined;
  readonly keyIsFor: string;
}

/** OpenAI-compatible servers without authentication still want some bearer token. */
const placeholderKey = 'none';

/** The key that goes to a base URL; undefined where none does. */
export const keyFor = ({ apiKey, keyIsFor }: EndpointKey, baseUrl: string): string | undefined =>
  apiKey !== undefined && sameEndpoint(baseUrl, keyIsFor) ? apiKey : undefined;

export interface OpenAiEndpoint {
  readonly client: OpenAI;
  readonly keySent: boolean;
}

/** A client that tries once, says nothing to the console and takes nothing from the environment. */
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

/** Some servers (older vLLM, TGI) send the error's fields at the top level, where the library does not look. */
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
 * `fetch` of texts for slow endpoints. Node's own gives up after five minutes without headers, and that cannot be set
 * without a second copy of its HTTP client; models that reason take longer. No redirects and no compressed replies; a reply
 * is there when its body is.
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
        // Replies have a status.
        const status = reply.statusCode as number;
        const statusText = reply.statusMessage ?? '';
        resolve(
          new Response(bodyless.has(status) ? null : content, { status, statusText, headers }),
        );
      }, reject);
    });
    call.end(body);
  });
};
