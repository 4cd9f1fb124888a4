import { dollars } from '../../domain/models/usage.js';
import type { ProbeOutcome } from '../../domain/runs/probes.js';

/** What came of the probe of a model whose run starts. */
export function probeText(outcome: ProbeOutcome): string {
  switch (outcome.kind) {
    case 'answered': {
      const { model, ms, spent } = outcome;
      const cost = spent.costUsd === null ? 'cost unknown' : dollars(spent.costUsd);
      return `probe: ${model} answered in ${(ms / 1000).toFixed(1)} s (${cost})`;
    }
    case 'unusable':
    case 'postponed':
    case 'failed':
      return `probe: ${outcome.model} could not be tried, and the run starts all the same: ${outcome.message}`;
  }
}

/** Stands below the forecast of a run whose models are probed. */
export const probeNote = (models: readonly string[]): string =>
  `not included: a small call of ${models.join(', ')}, which shows before the start whether the run can ask at all; --no-probe leaves it out`;
