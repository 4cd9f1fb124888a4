import { modelApis } from '../../../domain/model-api.js';
import type { EndpointKey, EndpointKeys } from '../../../worker/adapters/model-apis/endpoint.js';

/** A worker that has one key, and sends it in every API. */
export const keysForAll = (key: EndpointKey): EndpointKeys =>
  // All APIs are there, which `fromEntries` does not know.
  Object.fromEntries(modelApis.map((api) => [api, key])) as EndpointKeys;
