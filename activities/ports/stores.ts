import type { StoreName } from '../../domain/ids.js';

export interface StoresPort {
  /** Of a store as it is now: equal ones answer alike. Throws PortFailure('StoreMissing'). */
  readonly fingerprint: (store: StoreName) => Promise<string>;
}
