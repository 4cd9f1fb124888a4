import { OpenAI, type APIError } from 'openai';
import { endpointUrl } from './endpoint-url.js';
import { patientFetch } from './patient-fetch.js';

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
