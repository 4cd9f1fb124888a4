import { createHash } from 'node:crypto';
import type { Home } from '../domain/home.js';
import { UserError } from '../domain/user-error.js';

export interface PayloadKey {
  /** Says nothing about the key. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The keys in TURNWISE_PAYLOAD_KEY: the one that encrypts, then those of before. */
export function payloadKeysIn(setting: string | undefined): readonly PayloadKey[] {
  const texts = setting?.split(',').map((text) => text.trim()) ?? [];
  return texts.map((text) => {
    const bytes = Buffer.from(text, text.length === 64 ? 'hex' : 'base64');
    return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
  });
}

/**
 * Throws UserError where a process and the workers of its home would not read each other's payloads. A worker may begin with
 * another key if it knows that of before.
 */
export function requirePayloadKey(
  { payloadKey }: Home,
  setting: string | undefined,
  process: 'client' | 'worker',
): void {
  const ids = payloadKeysIn(setting).map(({ id }) => id);
  const mayBegin = process === 'worker' && (payloadKey === undefined || ids.includes(payloadKey));
  if (ids[0] === payloadKey || mayBegin) return;
  throw new UserError(
    payloadKey === undefined
      ? 'the workers of this home do not encrypt yet: start them anew with TURNWISE_PAYLOAD_KEY, or unset it'
      : `the workflows of this home are encrypted with key ${payloadKey}: set TURNWISE_PAYLOAD_KEY to the key of its workers`,
  );
}
