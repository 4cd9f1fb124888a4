import type { Method, SingleShotMethod } from '../../methods/method.js';
import { turnLimit } from '../../methods/turn-plan.js';
import type { RunConfig } from '../run-config.js';
import type { Workloads } from './workload.js';

type Figures = readonly [low: number, likely: number, high: number];

/** Tokens of replies: an action with its reasoning in words; a model that thinks at length takes more. */
const completionTokens: Figures = [60, 150, 500];

/** Tokens of a reply and what it is answered with. A result is cut at 5,000. */
const addedTokens: Figures = [300, 1200, 2500];

/**
 * What questions of a method usually take, where none has been asked yet (docs/steering.md): the example of
 * docs/methods.md takes 3 turns, the reference's published conversations 3 and 8, and `maxTurns` is the end.
 */
export function usualWorkloads(
  method: Method,
  { maxTurns, model }: Pick<RunConfig, 'maxTurns' | 'model'>,
): Workloads {
  const most = turnLimit(method, maxTurns);
  const turns = usualTurns(method);
  const added = method.kind === 'single-shot' ? contextTokens(method.context) : addedTokens;
  const workload = (index: 0 | 1 | 2): Workloads['low'] => ({
    turns: [Math.min(most, turns[index])],
    addedTokens: added[index],
    completionTokens: Math.min(model.maxTokens, completionTokens[index]),
  });
  return { low: workload(0), likely: workload(1), high: workload(2) };
}

function usualTurns({ kind }: Method): Figures {
  switch (kind) {
    case 'iterative':
      return [3, 6, Infinity];
    case 'graph':
      return [2, 3, Infinity];
    case 'two-stage':
      return [2, 2, 2];
    case 'single-shot':
      return [1, 1, 1];
  }
}

/** Of what is read from the store for the only call. */
function contextTokens(context: SingleShotMethod['context']): Figures {
  switch (context.kind) {
    case 'none':
      return [0, 0, 0];
    case 'search':
      return [100 * context.limit, 250 * context.limit, 600 * context.limit];
    case 'titles-and-abstracts':
      return [200, 400, context.cutoffTokens];
    case 'full-text':
      return [context.cutoffTokens / 2, context.cutoffTokens, context.cutoffTokens];
  }
}
