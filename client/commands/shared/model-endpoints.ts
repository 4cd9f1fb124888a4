import { addressOf, apiFacts, modelApis, type ModelApi } from '../../../domain/model-api.js';
import type { Environment } from '../../../domain/settings.js';
import { UserError } from '../../../domain/user-error.js';

/** Where models are asked. */
export interface ModelEndpoints {
  /** The API of a model for which `turnwise.yaml` names none. */
  readonly api: ModelApi;
  /** Throws UserError where neither a key nor an address of the API is set. */
  readonly addressOf: (api: ModelApi) => string;
}

/** @param api - of the flags; that of the settings if it is undefined */
export const modelEndpoints = (
  environment: Environment,
  api: ModelApi = environment.TURNWISE_API,
): ModelEndpoints => ({
  api,
  addressOf: (one) => {
    if (!isConfigured(environment, one)) throw new UserError(missingAddress(environment, one));
    return addressOf(environment, one);
  },
});

/** The same for requests that are not sent. */
export const unaskedEndpoints = (
  environment: Environment,
  api: ModelApi = environment.TURNWISE_API,
): ModelEndpoints => ({ api, addressOf: (one) => addressOf(environment, one) });

/** Whether a key or an address of the API is set. */
export function isConfigured(environment: Environment, api: ModelApi): boolean {
  const { addressVariable, keyVariable } = apiFacts[api];
  return (environment[addressVariable] ?? environment[keyVariable]) !== undefined;
}

function missingAddress(environment: Environment, api: ModelApi): string {
  const { addressVariable, keyVariable, title } = apiFacts[api];
  const other = modelApis.find((one) => isConfigured(environment, one));
  const asked = api === 'chat' ? 'no model can be asked' : `${title} cannot be asked`;
  const set = `set ${keyVariable}, or ${addressVariable} for an endpoint of your own (\`turnwise simulate-model\` starts one for trials)`;
  return other === undefined
    ? `${asked}: ${set}`
    : `${asked}: ${set}, or choose --api ${other}, for which there is ${apiFacts[other].keyVariable} or ${apiFacts[other].addressVariable}`;
}
