import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedProcess } from '../../domain/services/services-record.js';
import { rotateLogs, type Home } from './home.js';
import { withLock } from './lock.js';
import { judgeRecord, stopOrphan } from './orphans.js';
import { systemProcessTable, type ProcessTable } from './process-table.js';
import { createServicesFile, readServicesFile, type ServicesFile } from './services-file.js';

export type Claim =
  | { readonly kind: 'occupied'; readonly supervisorPid: number }
  | { readonly kind: 'claimed'; readonly servicesFile: ServicesFile };

interface Claimant {
  readonly supervisor: RecordedProcess;
  readonly onStep: (text: string) => void;
  readonly signal: AbortSignal;
  readonly table?: ProcessTable;
}

const pollMs = 200;

/**
 * Makes this supervisor the only one of `home`, after ending what a dead one left running, or after waiting
 * for one that is stopping.
 */
export async function claimHome(home: Home, claimant: Claimant): Promise<Claim> {
  const { onStep, signal } = claimant;
  for (let told = false; ; told = true) {
    const attempt = await tryClaim(home, claimant);
    if (attempt.kind !== 'stopping') return attempt;
    if (!told)
      onStep(`waiting for process ${attempt.supervisorPid}, which is stopping its services`);
    await sleep(pollMs, undefined, { signal });
  }
}

type Attempt = Claim | { readonly kind: 'stopping'; readonly supervisorPid: number };

async function tryClaim(home: Home, claimant: Claimant): Promise<Attempt> {
  const { supervisor, onStep, signal, table = systemProcessTable } = claimant;
  const onWait = (pid: number): void => onStep(`waiting for process ${pid}, which is starting too`);
  return withLock(home.lock, { signal, onWait, table }, async (): Promise<Attempt> => {
    const former = readServicesFile(home.servicesFile);
    const found = judgeRecord(former, table);
    if (found.kind === 'supervised') {
      const kind = former?.kind === 'stopping' ? 'stopping' : 'occupied';
      return { kind, supervisorPid: found.supervisorPid };
    }
    if (found.kind === 'orphaned') {
      for (const orphan of found.orphans.toReversed()) {
        onStep(
          `stopping ${orphan.name} (pid ${orphan.pid}), left running by a supervisor that died`,
        );
        await stopOrphan(orphan, table);
      }
    }
    rotateLogs(home);
    const servicesFile = createServicesFile(home.servicesFile, supervisor);
    return { kind: 'claimed', servicesFile };
  });
}
