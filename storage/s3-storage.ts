import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type * as S3 from '@aws-sdk/client-s3';
import type { ObjectStorage } from './objects.js';
import { uploadFile } from './s3-upload.js';
import { createShardedLog, type ListedObject } from './sharded-log.js';

/** The client and its commands. Loaded at the first request, since most processes never need them. */
interface Opened {
  readonly sdk: typeof S3;
  readonly client: S3.S3Client;
}

export interface S3Place {
  readonly bucket: string;
  /** Without `/` at its ends; empty for the whole bucket. */
  readonly prefix: string;
}

/** Requests in flight at once: a run has up to 2,000 questions in flight, whose turns are stored at different times. */
const maxSockets = 200;
const removedAtOnce = 50;
const defaultPartBytes = 2 ** 24;
/** An object store that does not answer for so long is gone: Temporal tries again later. */
const timeouts = { connectionTimeout: 15_000, requestTimeout: 30_000 };

/**
 * Objects of a bucket. Endpoint, region and credentials are those that AWS's own tools would use. A log is a folder of
 * objects, since an object cannot be appended to.
 * @param partBytes - a larger file is sent in parts of so many bytes: S3 takes 5 GB at once, and a part can be sent again.
 * Between 5 MB and 5 GB. @defaultValue 16 MB
 */
export function createS3Storage(
  { bucket, prefix }: S3Place,
  partBytes = defaultPartBytes,
): ObjectStorage {
  const keyOf = (path: string): string => (prefix === '' ? path : `${prefix}/${path}`);
  const location = prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
  let opened: Promise<Opened> | null = null;

  /** Null if there is no such object. */
  async function send<Output extends S3.ServiceOutputTypes>(
    request: (sdk: Opened['sdk'], client: Opened['client']) => Promise<Output>,
  ): Promise<Output | null> {
    try {
      const { sdk, client } = await (opened ??= open());
      return await request(sdk, client);
    } catch (error) {
      if (isNamed(error, 'NoSuchKey', 'NotFound')) return null;
      throw failure(error, { bucket, location });
    }
  }

  /** The keys of all objects in a folder and in its folders. */
  async function keysIn(folder: string): Promise<readonly string[]> {
    const keys: string[] = [];
    let next: string | undefined;
    do {
      const token = next;
      const page = await send((sdk, client) =>
        client.send(
          new sdk.ListObjectsV2Command({
            Bucket: bucket,
            Prefix: `${keyOf(folder)}/`,
            ContinuationToken: token,
          }),
        ),
      );
      for (const { Key } of page?.Contents ?? []) if (Key !== undefined) keys.push(Key);
      next = page?.NextContinuationToken;
    } while (next !== undefined);
    return keys;
  }

  const removeKey = async (Key: string): Promise<void> => {
    await send((sdk, client) => client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key })));
  };

  async function listed(folder: string): Promise<{
    readonly objects: readonly ListedObject[];
    readonly folders: readonly string[];
  }> {
    const start = keyOf(folder === '' ? '' : `${folder}/`);
    const objects: ListedObject[] = [];
    const folders: string[] = [];
    let next: string | undefined;
    do {
      const token = next;
      const page = await send((sdk, client) =>
        client.send(
          new sdk.ListObjectsV2Command({
            Bucket: bucket,
            Prefix: start,
            Delimiter: '/',
            ContinuationToken: token,
          }),
        ),
      );
      for (const { Key = '', ETag = '', LastModified } of page?.Contents ?? []) {
        const storedAtMs = LastModified?.getTime() ?? 0;
        objects.push({
          name: Key.slice(start.length),
          storedAtMs,
          version: `${ETag} ${storedAtMs}`,
        });
      }
      for (const { Prefix = '' } of page?.CommonPrefixes ?? [])
        folders.push(Prefix.slice(start.length));
      next = page?.NextContinuationToken;
    } while (next !== undefined);
    return { objects: objects.filter(({ name }) => name !== ''), folders };
  }

  // As bytes: the client takes an empty text for a stream.
  const put = (path: string, content: string | Uint8Array): S3.PutObjectCommandInput => ({
    Bucket: bucket,
    Key: keyOf(path),
    Body: typeof content === 'string' ? Buffer.from(content) : content,
    ContentLength: Buffer.byteLength(content),
  });

  const storage: Omit<ObjectStorage, 'log'> = {
    location,
    read: async (path) => {
      const found = await send(async (sdk, client) => {
        const got = await client.send(
          new sdk.GetObjectCommand({ Bucket: bucket, Key: keyOf(path) }),
        );
        return { ...got, bytes: await got.Body?.transformToByteArray() };
      });
      return found && (found.bytes ?? new Uint8Array());
    },
    write: async (path, content) => {
      await send((sdk, client) => client.send(new sdk.PutObjectCommand(put(path, content))));
    },
    create: async (path, content) => {
      const unlessExists = { ...put(path, content), IfNoneMatch: '*' };
      try {
        await send((sdk, client) => client.send(new sdk.PutObjectCommand(unlessExists)));
        return true;
      } catch (error) {
        if (isNamed(causeOf(error), 'PreconditionFailed')) return false;
        throw error;
      }
    },
    remove: (path) => removeKey(keyOf(path)),
    removeFolder: async (folder) => {
      const keys = await keysIn(folder);
      for (let at = 0; at < keys.length; at += removedAtOnce) {
        await Promise.all(keys.slice(at, at + removedAtOnce).map(removeKey));
      }
    },
    upload: async (path, file, { move } = { move: false }) => {
      await send((sdk, client) =>
        uploadFile({ sdk, client, bucket, key: keyOf(path), file }, partBytes),
      );
      if (move) await rm(file, { force: true });
    },
    download: async (path, file) => {
      const found = await send(async (sdk, client) => {
        const got = await client.send(
          new sdk.GetObjectCommand({ Bucket: bucket, Key: keyOf(path) }),
        );
        // In Node, the body is a stream of Node.
        await pipeline(got.Body as Readable, createWriteStream(file));
        return got;
      });
      return found !== null;
    },
    fileOf: () => null,
    list: async (folder) => {
      const { objects, folders } = await listed(folder);
      return [...objects.map(({ name }) => name), ...folders];
    },
    version: async (path) => {
      const head = await send((sdk, client) =>
        client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: keyOf(path) })),
      );
      if (head === null) return null;
      // An equal object that replaces another has the same ETag.
      const storedAtMs = head.LastModified?.getTime() ?? 0;
      return { version: `${head.ETag} ${storedAtMs}`, bytes: head.ContentLength ?? 0, storedAtMs };
    },
    storedAtMs: async (folder) => {
      const { objects } = await listed(folder);
      return objects.length === 0 ? null : Math.max(...objects.map(({ storedAtMs }) => storedAtMs));
    },
  };
  const shards = { ...storage, objects: async (folder: string) => (await listed(folder)).objects };
  return { ...storage, log: (path, keyOfLine) => createShardedLog(shards, path, keyOfLine) };
}

async function open(): Promise<Opened> {
  // Said at every start otherwise. The version is pinned, and works with Node 20.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const sdk = await import('@aws-sdk/client-s3');
  const endpoint = process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'];
  const region = process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'];
  const client = new sdk.S3Client({
    // Servers of one's own mostly have no regions, and the client insists on one.
    ...(endpoint !== undefined && {
      region: region ?? 'us-east-1',
      forcePathStyle: isAddress(endpoint),
    }),
    // Servers of one's own may not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { ...timeouts, httpAgent: { maxSockets }, httpsAgent: { maxSockets } },
  });
  return { sdk, client };
}

/** Whether a bucket cannot be put before the host's name: an IP address, or a name inside one network. */
function isAddress(endpoint: string): boolean {
  const { hostname } = new URL(endpoint);
  return isIP(hostname.replace(/^\[|\]$/g, '')) > 0 || !hostname.includes('.');
}

const isNamed = (error: unknown, ...names: readonly string[]): boolean =>
  error instanceof Error && names.includes(error.name);

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);

const statusOf = (error: object): unknown =>
  '$metadata' in error && typeof error.$metadata === 'object' && error.$metadata !== null
    ? (error.$metadata as { readonly httpStatusCode?: unknown }).httpStatusCode
    : undefined;

/** What the client says, with the remedy where it is known. */
function failure(
  error: unknown,
  { bucket, location }: { readonly bucket: string; readonly location: string },
): Error {
  const cause = error instanceof Error ? error : new Error(String(error));
  const said = cause.message === 'UnknownError' ? cause.name : cause.message;
  const why = (): string => {
    if (cause.name === 'NoSuchBucket') return `there is no bucket ${bucket}: create it`;
    if (cause.name === 'CredentialsProviderError')
      return 'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE';
    if (statusOf(cause) === 403)
      return `access is denied (${said}): check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and what they allow`;
    if (statusOf(cause) === undefined)
      return `it cannot be reached (${said}): check AWS_ENDPOINT_URL`;
    return said;
  };
  return new Error(`${location}: ${why()}`, { cause });
}
