import type { RunId } from '../../domain/ids.js';
import { reportingFailures } from '../failures.js';
import { PortFailure } from '../ports/port-failure.js';
import type { RunFilesPort } from '../ports/run-files.js';
import type { StoresPort } from '../ports/stores.js';

interface SameStorePorts {
  readonly runFiles: RunFilesPort;
  readonly stores: StoresPort;
}

/** Fails for a run whose store has lost what it was at its start: its answers would come from two different stores. */
export const overSameStore =
  <Input extends { readonly run: RunId }, More extends unknown[], Output>(
    ports: SameStorePorts,
    activity: (input: Input, ...more: More) => Promise<Output>,
  ): ((input: Input, ...more: More) => Promise<Output>) =>
  async (input, ...more) => {
    await reportingFailures(() => requireSameStore(ports, input.run));
    return activity(input, ...more);
  };

async function requireSameStore({ runFiles, stores }: SameStorePorts, run: RunId): Promise<void> {
  const { store } = await runFiles.manifest(run);
  if (store === null) return;
  if (await stores.holds(store.name, store.fingerprint)) return;
  throw new PortFailure(
    'StoreChanged',
    `store ${store.name} no longer has what it was when run ${run} began: \`turnwise run\` with the same arguments and --fork asks over what it is now, and where it is made of the same papers again \`turnwise retry\` goes on`,
  );
}
