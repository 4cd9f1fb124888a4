import {
  addressOf,
  apiFacts,
  modelApis,
  keyHeaders,
  urlUnder,
  type ModelApi,
  type ModelEndpoint,
} from '../../../domain/model-api.js';
import type { Environment } from '../../../domain/settings.js';

/** An endpoint's address in a normal form, to be compared and hashed. */
export const endpointUrl = (baseUrl: string): string => new URL(baseUrl).href.replace(/\/+$/, '');

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|WEBHOOK/i;
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

/** The keys of a worker: one for each API. */
export type EndpointKeys = Readonly<Record<ModelApi, EndpointKey>>;

export const keysOf = (environment: Environment): EndpointKeys =>
  // All APIs are there, which `fromEntries` does not know.
  Object.fromEntries(
    modelApis.map((api) => [
      api,
      { apiKey: environment[apiFacts[api].keyVariable], keyIsFor: addressOf(environment, api) },
    ]),
  ) as EndpointKeys;

/** The key for a base URL; undefined if there is none. */
export const keyFor = ({ apiKey, keyIsFor }: EndpointKey, baseUrl: string): string | undefined =>
  apiKey !== undefined && endpointUrl(baseUrl) === endpointUrl(keyIsFor) ? apiKey : undefined;

const answerWithinMs = 5_000;

/** Asks every configured endpoint for its models. Chat completions and the Responses API have the same one. */
export async function askEndpoints(
  environment: Environment,
  apis: readonly ModelApi[] = modelApis,
): Promise<readonly ModelEndpoint[]> {
  const configured = apis.filter((api) => {
    const { keyVariable, addressVariable } = apiFacts[api];
    const isSet = (environment[keyVariable] ?? environment[addressVariable]) !== undefined;
    return api !== 'responses' && isSet;
  });
  if (configured.length === 0) return [{ api: 'chat', kind: 'unset' }];
  return Promise.all(configured.map((api) => askEndpoint(environment, api)));
}

/** It costs nothing, and tells a wrong key from a wrong address. */
async function askEndpoint(environment: Environment, api: ModelApi): Promise<ModelEndpoint> {
  const key = environment[apiFacts[api].keyVariable];
  const base = new URL(addressOf(environment, api));
  const url = urlUnder(base.href, apiFacts[api].modelsPath);
  // A base URL may carry a name and a password of its own: what is shown must not.
  const shown = `${base.origin}${base.pathname.replace(/\/+$/, '')}`;
  const headers = keyHeaders(api, key);
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(answerWithinMs) });
    await response.body?.cancel();
    return { api, kind: 'answered', url: shown, httpStatus: response.status };
  } catch (error) {
    return { api, kind: 'unreachable', url: shown, reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error.name === 'TimeoutError') return `no answer within ${answerWithinMs / 1000} s`;
  // The message of fetch's own errors may quote the URL; their cause names only host and port.
  return error.cause instanceof Error ? error.cause.message : 'the request could not be made';
}
