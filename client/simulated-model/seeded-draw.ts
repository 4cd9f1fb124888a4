import { createHash } from 'node:crypto';

/** A number in [0, 1) that depends on nothing but its arguments, so that no order of arrival changes a run. */
export function seededDraw(...parts: readonly (string | number)[]): number {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}
