import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { describe, expect, it } from 'vitest';
import { createDecipheriv, randomBytes } from 'node:crypto';
import { homeSchema } from '../../domain/home.js';
import { environmentSchema } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { payloadCodec } from '../../temporal/payload-codec.js';
import { payloadKeysIn, requirePayloadKey } from '../../temporal/payload-key.js';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map((key) =>
  key.toString('base64'),
) as [string, string];
const keyIdsIn = (setting?: string): readonly string[] =>
  payloadKeysIn(setting).map(({ id }) => id);
const payloadOf = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const plain = payloadOf({ question: 'Why is the sky blue?' });

const textOf = (payload: Payload | undefined): string =>
  [...Object.values(payload?.metadata ?? {}), payload?.data ?? new Uint8Array()]
    .map((bytes) => Buffer.from(bytes).toString('latin1'))
    .join('\n');

describe('the payload codec', () => {
  it('hides a payload and gives it back as it was', async () => {
    const codec = payloadCodec(first);
    const all = [plain, payloadOf(undefined), payloadOf(new Uint8Array([1, 2]))];
    const encoded = await codec.encode(all);
    for (const each of encoded) {
      expect(textOf(each)).not.toContain('sky');
      expect(textOf(each)).not.toContain('json/plain');
      expect(Object.keys(each.metadata ?? {})).toEqual(['encoding', 'encryption-key-id']);
    }
    const decoded = await codec.decode(encoded);
    expect(decoded.map((each) => defaultPayloadConverter.fromPayload(each))).toEqual([
      { question: 'Why is the sky blue?' },
      undefined,
      new Uint8Array([1, 2]),
    ]);
  });

  it('writes what other codecs of this kind read: nonce, ciphertext and tag of the message of protobuf', async () => {
    const [encoded] = await payloadCodec(first).encode([plain]);
    const data = Buffer.from(encoded?.data ?? []);
    const decipher = createDecipheriv('aes-256-gcm', Buffer.alloc(32, 1), data.subarray(0, 12));
    decipher.setAuthTag(data.subarray(-16));
    const bytes = Buffer.concat([decipher.update(data.subarray(12, -16)), decipher.final()]);
    const read = temporal.api.common.v1.Payload.decode(bytes);
    expect(defaultPayloadConverter.fromPayload(read)).toEqual({ question: 'Why is the sky blue?' });
  });

  it('never repeats itself', async () => {
    const codec = payloadCodec(first);
    const [one, other] = await codec.encode([plain, plain]);
    expect(textOf(one)).not.toBe(textOf(other));
  });

  it('lets what is not encrypted pass, and without a key everything', async () => {
    expect(await payloadCodec(first).decode([plain])).toEqual([plain]);
    expect(await payloadCodec(undefined).encode([plain])).toEqual([plain]);
    expect(await payloadCodec(undefined).decode([plain])).toEqual([plain]);
  });

  it('reads with the keys of before, and writes with the first', async () => {
    const before = await payloadCodec(first).encode([plain]);
    const rotated = payloadCodec(`${second}, ${first}`);
    const [read] = await rotated.decode(before);
    expect(read && defaultPayloadConverter.fromPayload(read)).toEqual({
      question: 'Why is the sky blue?',
    });
    const [encoded] = await rotated.encode([plain]);
    expect(textOf(encoded)).toContain(keyIdsIn(second)[0]);
  });

  it.each([
    ['without a key', undefined],
    ['with another one', second],
  ])('says %s in one sentence which key is missing', async (_, setting) => {
    const encoded = await payloadCodec(first).encode([plain]);
    await expect(payloadCodec(setting).decode(encoded)).rejects.toThrow(
      new UserError(
        `what Temporal has stored is encrypted with key ${keyIdsIn(first)[0] ?? ''}: set TURNWISE_PAYLOAD_KEY to that of the workers`,
      ),
    );
  });

  it('takes no payload that was changed', async () => {
    const [encoded] = await payloadCodec(first).encode([plain]);
    const data = Buffer.from(encoded?.data ?? []);
    data[20] = (data[20] ?? 0) ^ 1;
    await expect(payloadCodec(first).decode([{ ...encoded, data }])).rejects.toThrow();
  });
});

describe('TURNWISE_PAYLOAD_KEY', () => {
  const key = randomBytes(32);
  const takes = (TURNWISE_PAYLOAD_KEY: string): boolean =>
    environmentSchema.safeParse({ TURNWISE_PAYLOAD_KEY }).success;

  it('is 32 bytes in hex or base64, with those of before behind commas', () => {
    const written = [key.toString('hex'), key.toString('base64'), key.toString('base64url')];
    expect(written.map(takes)).toEqual([true, true, true]);
    expect(new Set(written.flatMap((each) => keyIdsIn(each))).size).toBe(1);
    expect(keyIdsIn(`${first},${second}`)).toEqual([...keyIdsIn(first), ...keyIdsIn(second)]);
    expect(keyIdsIn()).toEqual([]);
  });

  it('is nothing else, and is in no message', () => {
    const wrong = ['secret', key.toString('hex').slice(2), `${first},`, `${first};${second}`];
    for (const each of wrong) {
      const { error } = environmentSchema.safeParse({ TURNWISE_PAYLOAD_KEY: each });
      expect(error?.issues[0]?.message).toBe(
        'must be 32 bytes in base64 or hex, such as `openssl rand -base64 32` makes',
      );
    }
  });
});

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
