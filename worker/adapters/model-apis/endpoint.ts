import { addressOf, apiFacts, modelApis, type ModelApi } from '../../../domain/model-api.js';
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
