import { expect, it } from 'vitest';
import { homeSchema } from '../../domain/home.js';
import { payloadKeysIn, requirePayloadKey } from '../../temporal/payload-key.js';

const [a, b] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('hex')];
const id = (setting: string): string => payloadKeysIn(setting)[0]?.id ?? '';
const encrypted = `the workflows of this home are encrypted with key ${id(a)}: set TURNWISE_PAYLOAD_KEY to the key of its workers`;

it.each([
  // The key of the home's workers, that of a process, what a client says, and what a worker does.
  [undefined, undefined, null, null],
  [a, a, null, null],
  [a, `${a},${b}`, null, null],
  [a, undefined, encrypted, encrypted],
  [a, b, encrypted, encrypted],
  // A worker begins to encrypt, or begins with another key and knows that of before.
  [
    undefined,
    a,
    'the workers of this home do not encrypt yet: start them anew with TURNWISE_PAYLOAD_KEY, or unset it',
    null,
  ],
  [a, `${b},${a}`, encrypted, null],
])('a home of key %j, and a process with %j', (ofHome, setting, client, worker) => {
  const home = homeSchema.parse({ id: 'home1', ...(ofHome && { payloadKey: id(ofHome) }) });
  for (const [process, sentence] of [
    ['client', client],
    ['worker', worker],
  ] as const) {
    const required = (): void => requirePayloadKey(home, setting, process);
    if (sentence === null) expect(required).not.toThrow();
    else expect(required).toThrow(sentence);
  }
});
