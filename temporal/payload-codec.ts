import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { ClientOptions } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import protobuf from 'protobufjs/light.js';
import { UserError } from '../domain/user-error.js';
import { payloadKeysIn, type PayloadKey } from './payload-key.js';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** What an encrypted payload says of itself, as Temporal's own examples have it. */
const encrypted = Buffer.from('binary/encrypted');
const keyName = 'encryption-key-id';

/** `temporal.api.common.v1.Payload`, which is encrypted as a whole. */
export const payloadType = new protobuf.Type('Payload')
  .add(new protobuf.MapField('metadata', 1, 'string', 'bytes'))
  .add(new protobuf.Field('data', 2, 'bytes'));

/**
 * Encrypts what Temporal stores, with AES-256-GCM: the data are nonce, ciphertext and tag. What is not encrypted passes as it is,
 * in both directions where there is no key. Decoding throws UserError where the key is not among those given.
 * @param setting - TURNWISE_PAYLOAD_KEY
 */
export function payloadCodec(setting: string | undefined): PayloadCodec {
  const keys = payloadKeysIn(setting);
  const [first] = keys;

  function encode(payload: Payload, { id, bytes }: PayloadKey): Payload {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, bytes, nonce);
    const ciphertext = cipher.update(payloadType.encode(payload).finish());
    return {
      metadata: { encoding: encrypted, [keyName]: Buffer.from(id) },
      data: Buffer.concat([nonce, ciphertext, cipher.final(), cipher.getAuthTag()]),
    };
  }

  function decode(payload: Payload): Payload {
    const { metadata, data } = payload;
    if (!encrypted.equals(metadata?.['encoding'] ?? Buffer.of())) return payload;
    const id = Buffer.from(metadata?.[keyName] ?? []).toString();
    const key = keys.find((each) => each.id === id);
    if (key === undefined) {
      throw new UserError(
        `what Temporal has stored is encrypted with key ${id}: set TURNWISE_PAYLOAD_KEY to that of the workers`,
      );
    }
    const bytes = Buffer.from(data ?? []);
    const decipher = createDecipheriv(algorithm, key.bytes, bytes.subarray(0, nonceBytes));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    const plain = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    const message = payloadType.decode(Buffer.concat([plain, decipher.final()]));
    return payloadType.toObject(message, { defaults: true });
  }

  return {
    encode: (payloads) =>
      Promise.resolve(first ? payloads.map((payload) => encode(payload, first)) : payloads),
    // A failure rejects, instead of being thrown.
    decode: async (payloads) => Promise.resolve(payloads.map(decode)),
  };
}

/** What every client of a server is made with, beside its connection. @param setting - TURNWISE_PAYLOAD_KEY */
export const clientOptions = (namespace: string, setting: string | undefined): ClientOptions => ({
  namespace,
  dataConverter: { payloadCodecs: [payloadCodec(setting)] },
});
