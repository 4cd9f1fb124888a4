import { methodNeeds, methodOf } from '../agent/methods.js';
import { requestBody } from '../models/apis/request-body.js';
import type { ChatRequest } from '../models/chat-message.js';
import { priceAtOnce, type ModelConfig } from '../models/model-settings.js';
import { probeTimeoutMs } from './probes.js';
import { paidModels, type RunConfig } from './run-config.js';

/** The only message of a probe: a small call that shows whether a model can be asked at all. */
export const probeMessage = 'Reply with OK.';

/** Models that reason may reach this limit before they write a text, which is enough to know. */
export const probeTokens = 64;

export type ProbeRequest = ChatRequest & Pick<ModelConfig, 'timeoutMs' | 'cache' | 'price'>;

/** A model's probe, with its settings in the run. */
export function probeRequest(
  { name, ...settings }: ModelConfig,
  maxTokens: number = Math.min(settings.maxTokens, probeTokens),
): ProbeRequest {
  return {
    ...settings,
    price: priceAtOnce(settings),
    model: name,
    messages: [{ role: 'user', content: probeMessage }],
    maxTokens,
    timeoutMs: Math.min(settings.timeoutMs, probeTimeoutMs),
    // A reply from the cache would say nothing about the endpoint.
    cache: false,
  };
}

/**
 * The models that a run asks and pays: its own first, then its judges, without those whose probe would be the same. A run
 * that repeats another one has none.
 */
export function probedModels(
  config: Pick<RunConfig, 'method' | 'model' | 'judging' | 'replay'>,
): readonly ModelConfig[] {
  if (config.replay !== null) return [];
  const asked = paidModels(config).filter(
    (model) => model !== config.model || methodNeeds(methodOf(config)).model,
  );
  const probeOf = (model: ModelConfig): string =>
    JSON.stringify([model.baseUrl, model.api, model.name, requestBody(probeRequest(model))]);
  const probes = asked.map(probeOf);
  return asked.filter((_, index) => probes.indexOf(probes[index] ?? '') === index);
}
