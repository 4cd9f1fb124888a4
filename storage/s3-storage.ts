import type * as S3 from '@aws-sdk/client-s3';
import { createWriteStream } from 'node:fs';
import { rm, open as openFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ObjectStorage } from './objects.js';
import { createShardedLog, type ListedObject } from './sharded-log.js';

/** The client and its commands. Loaded at the first request, since most processes never need them. */
interface Opened {
  readonly sdk: typeof S3;
  readonly client: S3.S3Client;
}

interface S3Place {
  readonly bucket: string;
  /** Without `/` at its ends; empty for the whole bucket. */
  readonly prefix: string;
}

/** Requests in flight at once: a run has up to 2,000 questions in flight, whose turns are stored at different times. */
const maxSockets = 200;
const defaultPartBytes = 2 ** 24;
/**
 * An object store that does not answer for so long is gone: Temporal tries again later. A `requestTimeout` would be logged and
 * no more, and would count the time of an upload.
 */
const usualTimeouts = { connectionTimeout: 15_000, socketTimeout: 30_000 };

/**
 * Objects of a bucket. Endpoint, region and credentials are those that AWS's own tools would use. A log is a folder of
 * objects, since an object cannot be appended to.
 * @param partBytes - a larger file is sent in parts of so many bytes: S3 takes 5 GB at once, and a part can be sent again.
 * Between 5 MB and 5 GB. @defaultValue 16 MB
 */
export function createS3Storage(
  { bucket, prefix }: S3Place,
  partBytes = defaultPartBytes,
  timeouts = usualTimeouts,
): ObjectStorage {
  const keyOf = (path: string): string => (prefix === '' ? path : `${prefix}/${path}`);
  const location = prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
  let opened: Promise<Opened> | null = null;

  /** Null if there is no such object. */
  async function send<Output extends S3.ServiceOutputTypes>(
    request: (sdk: Opened['sdk'], client: Opened['client']) => Promise<Output>,
  ): Promise<Output | null> {
    try {
      const { sdk, client } = await (opened ??= open(timeouts));
      return await request(sdk, client);
    } catch (error) {
      if (isNamed(error, 'NoSuchKey', 'NotFound')) return null;
      throw failure(error, { bucket, location });
    }
  }

  const removeKey = async (Key: string): Promise<void> => {
    await send((sdk, client) => client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key })));
  };

  const startOf = (folder: string): string => keyOf(folder === '' ? '' : `${folder}/`);

  /** The pages of a listing of a folder. @param delimiter - ends names; null lists what is in folders inside it as well */
  async function* pagesOf(
    folder: string,
    delimiter: '/' | null,
  ): AsyncGenerator<S3.ListObjectsV2CommandOutput> {
    let next: string | undefined;
    do {
      const token = next;
      const page = await send((sdk, client) =>
        client.send(
          new sdk.ListObjectsV2Command({
            Bucket: bucket,
            Prefix: startOf(folder),
            ...(delimiter !== null && { Delimiter: delimiter }),
            ContinuationToken: token,
          }),
        ),
      );
      if (page === null) return;
      yield page;
      next = page.NextContinuationToken;
    } while (next !== undefined);
  }

  async function listed(folder: string): Promise<{
    readonly objects: readonly ListedObject[];
    readonly folders: readonly string[];
  }> {
    const start = startOf(folder);
    const objects: ListedObject[] = [];
    const folders: string[] = [];
    for await (const { Contents = [], CommonPrefixes = [] } of pagesOf(folder, '/')) {
      for (const { Key = '', ETag = '', LastModified } of Contents) {
        const storedAtMs = LastModified?.getTime() ?? 0;
        objects.push({
          name: Key.slice(start.length),
          storedAtMs,
          version: `${ETag} ${storedAtMs}`,
        });
      }
      for (const { Prefix = '' } of CommonPrefixes) folders.push(Prefix.slice(start.length));
    }
    return { objects: objects.filter(({ name }) => name !== ''), folders };
  }

  /** At most a thousand, as a page of a listing has. */
  async function removeKeys(keys: readonly string[]): Promise<void> {
    const answer = await send((sdk, client) =>
      client.send(
        new sdk.DeleteObjectsCommand({
          Bucket: bucket,
          Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true },
        }),
      ),
    );
    const [failed] = answer?.Errors ?? [];
    if (failed === undefined) return;
    throw new Error(
      `${location}: ${failed.Key} cannot be removed (${failed.Message ?? failed.Code})`,
    );
  }

  // As bytes: the client takes an empty text for a stream.
  const put = (path: string, content: string | Uint8Array): S3.PutObjectCommandInput => ({
    Bucket: bucket,
    Key: keyOf(path),
    Body: typeof content === 'string' ? Buffer.from(content) : content,
    ContentLength: Buffer.byteLength(content),
  });

  /** @param range - as HTTP names a part of an object. Absent for all of it */
  async function get(path: string, range: { readonly Range?: string }): Promise<Uint8Array | null> {
    const found = await send(async (sdk, client) => {
      const got = await client.send(
        new sdk.GetObjectCommand({ Bucket: bucket, Key: keyOf(path), ...range }),
      );
      return { ...got, bytes: await got.Body?.transformToByteArray() };
    });
    return found && (found.bytes ?? new Uint8Array());
  }

  const storage: Omit<ObjectStorage, 'log'> = {
    location,
    read: (path) => get(path, {}),
    // The last byte of such a range is inclusive.
    readRange: (path, start, end) => get(path, { Range: `bytes=${start}-${end - 1}` }),
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
    contents: async (folder) => {
      let objects = 0;
      let bytes = 0;
      for await (const { Contents = [] } of pagesOf(folder, null)) {
        objects += Contents.length;
        for (const { Size = 0 } of Contents) bytes += Size;
      }
      return { objects, bytes };
    },
    removeFolder: async (folder) => {
      for await (const { Contents = [] } of pagesOf(folder, null)) {
        const keys = Contents.flatMap(({ Key }) => Key ?? []);
        if (keys.length > 0) await removeKeys(keys);
      }
    },
  };
  const shards = { ...storage, objects: async (folder: string) => (await listed(folder)).objects };
  return { ...storage, log: (path, keyOfLine) => createShardedLog(shards, path, keyOfLine) };
}

async function open(timeouts: typeof usualTimeouts): Promise<Opened> {
  const sdk = await import('@aws-sdk/client-s3');
  const endpoint = process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'];
  const region = process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'];
  // The first client warns of Node 20 otherwise. The version is pinned, and works with it.
  const { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: disabled } = process.env;
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = disabled ?? 'true';
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
  if (disabled === undefined)
    delete process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'];
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

interface Upload {
  readonly sdk: typeof S3;
  readonly client: S3.S3Client;
  readonly bucket: string;
  readonly key: string;
  readonly file: string;
}

/** Holds one part in memory. A file that grows meanwhile is sent as far as it was at the start. */
async function uploadFile(
  { sdk, client, bucket, key, file }: Upload,
  partBytes: number,
): Promise<S3.PutObjectCommandOutput> {
  const target = { Bucket: bucket, Key: key };
  const { size } = await stat(file);
  const handle = await openFile(file);
  const part = async (at: number): Promise<Buffer> => {
    const bytes = Buffer.alloc(Math.min(partBytes, size - at));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, at);
    if (bytesRead < bytes.length) throw new Error(`${file} became shorter while it was sent`);
    return bytes;
  };
  try {
    if (size <= partBytes) {
      return await client.send(new sdk.PutObjectCommand({ ...target, Body: await part(0) }));
    }
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(target));
    const upload = { ...target, UploadId };
    try {
      const Parts: S3.CompletedPart[] = [];
      for (let at = 0; at < size; at += partBytes) {
        const PartNumber = Parts.length + 1;
        const { ETag } = await client.send(
          new sdk.UploadPartCommand({ ...upload, PartNumber, Body: await part(at) }),
        );
        Parts.push({ PartNumber, ETag });
      }
      return await client.send(
        new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }),
      );
    } catch (error) {
      await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => undefined);
      throw error;
    }
  } finally {
    await handle.close();
  }
}
