import {
  addressOf,
  apiFacts,
  keyHeaders,
  modelApis,
  urlUnder,
  type ModelApi,
  type ModelEndpoint,
} from '../../../domain/model-api.js';
import type { Environment } from '../../../domain/settings.js';

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
