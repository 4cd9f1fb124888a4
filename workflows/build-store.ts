import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { BuildTablesInput } from '../activities/ingestion/build-tables.js';
import type { IngestionActivities } from '../activities/ingestion/ingestion.js';

/** Of activities over a whole store. The heartbeat tells that a worker is lost, so the time may be that of a large store. */
export const storeWork = { startToCloseTimeout: '12 hours', heartbeatTimeout: '1 minute' } as const;

export const waiting = { initialInterval: '1 second', maximumInterval: '30 seconds' } as const;

const { buildTables, buildCollections, publishStore } = proxyActivities<IngestionActivities>({
  ...storeWork,
  retry: { ...waiting, maximumAttempts: 100 },
});

/**
 * Builds the next generation of a store and puts it into use, unless the one in use is what would be built. That one stays
 * as it is until the new one is whole. Fails with `TitleConflict` by the policy `raise`.
 */
export async function buildStore(input: BuildTablesInput): Promise<void> {
  const { store, ingestion } = input;
  setCurrentDetails('building tables');
  if ((await buildTables(input)).kind === 'current') return;
  setCurrentDetails('tables built, building collections');
  await buildCollections({ store, rebuild: ingestion === null });
  await publishStore({ store });
}
