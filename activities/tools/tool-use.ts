import type { ObservationStyle } from '../../domain/agent/observations/observation.js';
import type { RunStore } from '../../domain/runs/run-manifest.js';
import type { GraphPort, PicturesPort, SearchPort, TablesPort } from '../ports/tools.js';

export interface ToolPorts {
  readonly tables: TablesPort;
  readonly search: SearchPort;
  readonly pictures: Pick<PicturesPort, 'ofPage'>;
  readonly graph: GraphPort;
}

/** One use of a tool: the ports, the store, the style of the observation and the timeouts. */
export interface ToolUse extends ToolPorts {
  readonly store: Pick<RunStore, 'name' | 'fingerprint' | 'collections' | 'database'>;
  readonly style: ObservationStyle;
  readonly timeoutMs: number;
  /** Of a graph query, whose program may call models. */
  readonly graphTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Measures how long the tools themselves take. */
  readonly timed: <T>(work: Promise<T>) => Promise<T>;
}

/** Adds up the durations of all work that passes through `timed`; null if none did. */
export function createStopwatch(): {
  readonly timed: ToolUse['timed'];
  readonly ms: () => number | null;
} {
  let total: number | null = null;
  return {
    timed: async (work) => {
      const start = performance.now();
      const result = await work;
      total = (total ?? 0) + performance.now() - start;
      return result;
    },
    ms: () => (total === null ? null : Math.round(total * 10) / 10),
  };
}
