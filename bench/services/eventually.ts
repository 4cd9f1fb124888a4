import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until `look` finds something. For what processes do in their own time; whoever calls it bounds it. */
export async function eventually<T>(
  look: () => T | null | undefined | Promise<T | null | undefined>,
): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined) return found;
    await sleep(100);
  }
}
