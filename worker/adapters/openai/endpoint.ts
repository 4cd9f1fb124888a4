import { OpenAI, type APIError } from 'openai';
import { exchange } from '../http/exchange.js';

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

/** Of one reply. Far above what any model sends: a batch of embeddings has some 30 MiB. */
export const largestReplyBytes = 128 * 2 ** 20;

/** A `fetch` for models that reason for minutes. It sends texts only. */
export const patientFetch: typeof fetch = async (input, init = {}) => {
  const { method = 'GET', body, signal, headers } = init;
  if (typeof body !== 'string' && body !== undefined && body !== null) {
    throw new TypeError('Only texts are sent.');
  }
  return exchange(new URL(input instanceof Request ? input.url : input), {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    body: body ?? undefined,
    signal,
    mostBytes: largestReplyBytes,
  });
};
