import { isCapped } from '../domain/budget/amount.js';
import type { RunId } from '../domain/ids.js';
import type { RunConfig } from '../domain/runs/run-config.js';
import type { Reserve } from './call-model.js';
import { PortFailure } from './ports/port-failure.js';
import type { SpendingPort } from './ports/spending.js';

/**
 * From a run's budget. Where nobody keeps that, since the run was ended by hand, its questions wait until it is continued;
 * without a budget they go on.
 */
export const reserveFor =
  (spending: SpendingPort, run: RunId, { budget }: Pick<RunConfig, 'budget'>): Reserve =>
  async (need, signal) => {
    const began = isCapped(budget) ? 'capped' : 'uncapped';
    const spent = await spending.reserve(run, need, signal, began);
    if (spent.kind !== 'no-run') return spent;
    if (began === 'uncapped') return { kind: 'reserved', settle: () => undefined };
    throw new PortFailure(
      'RunUnreachable',
      `run ${run} was ended by hand, and nobody keeps its budget: \`turnwise run\` with the same arguments continues it`,
    );
  };
