import { createHmac } from 'node:crypto';
import type { Hono } from 'hono';
import { z } from 'zod';
import { payloadCodec, payloadType } from '../../../temporal/payload-codec.js';
import { isSecret, portOf, refused, type ViewBindings, hostsOf, thisMachine } from './access.js';
import { messageOf } from './live-page.js';

export interface CodecSettings {
  /** TURNWISE_PAYLOAD_KEY. */
  readonly key: string;
  /** Of Temporal's UI; null where none is known. */
  readonly uiAddress: () => Promise<string | null>;
}

/** The same for as long as the keys are. */
const pathOf = (key: string): string =>
  `/codec/${createHmac('sha256', key).update('codec server').digest('base64url')}`;

/** What Temporal's UI and command line are told. */
export const codecUrl = (port: number, key: string): string =>
  `http://${thisMachine.host}:${port}${pathOf(key)}`;

/** Payloads in the JSON of protobuf, which has bytes in base64. */
const bodySchema = z.object({ payloads: z.array(z.record(z.string(), z.unknown())) });

/**
 * Decrypts payloads for Temporal's UI on this machine, and for what else knows the address: a request that a page sends must be
 * one of the UI.
 */
export function addCodecServer(app: Hono<ViewBindings>, { key, uiAddress }: CodecSettings): void {
  const codec = payloadCodec(key);
  app.all('/codec/:token/:verb{encode|decode}', async (context) => {
    const { method, path } = context.req;
    const { host = '', origin } = context.req.header();
    const verb = context.req.param('verb') === 'encode' ? 'encode' : 'decode';
    const { localAddress } = context.env.incoming.socket;
    const isHere = localAddress === thisMachine.host;
    if (!isHere || !hostsOf(thisMachine, portOf(context)).includes(host))
      return refused(context, 'of another host');
    if (!isSecret(path, `${pathOf(key)}/${verb}`)) return refused(context, 'without the token');
    if (origin !== undefined) {
      if (!originsOf(await uiAddress()).includes(origin))
        return refused(context, 'from another page');
      context.header('Access-Control-Allow-Origin', origin);
      context.header('Access-Control-Allow-Headers', 'Content-Type, X-Namespace');
      context.header('Access-Control-Allow-Private-Network', 'true');
      context.header('Vary', 'Origin');
    }
    if (method === 'OPTIONS') return context.body(null, 204);
    if (method !== 'POST') return context.text('Only POST is answered.\n', 405);
    try {
      const { payloads } = bodySchema.parse(await context.req.json());
      const read = payloads.map((each) => payloadType.toObject(payloadType.fromObject(each)));
      const made = (await codec[verb](read)).map((each) => payloadType.create(each));
      const toJson = (each: (typeof made)[0]): object =>
        payloadType.toObject(each, { bytes: String });
      return context.json({ payloads: made.map(toJson) });
    } catch (error) {
      return context.json({ error: messageOf(error) }, 400);
    }
  });
}

/** The UI of this machine is opened by either name. */
function originsOf(uiAddress: string | null): readonly string[] {
  if (uiAddress === null) return [];
  const { origin } = new URL(uiAddress);
  return [origin, origin.replace('//127.0.0.1', '//localhost')];
}
