import { open, stat } from 'node:fs/promises';
import type * as S3 from '@aws-sdk/client-s3';

interface Upload {
  readonly sdk: typeof S3;
  readonly client: S3.S3Client;
  readonly bucket: string;
  readonly key: string;
  readonly file: string;
}

/** Holds one part in memory. A file that grows meanwhile is sent as far as it was at the start. */
export async function uploadFile(
  { sdk, client, bucket, key, file }: Upload,
  partBytes: number,
): Promise<S3.PutObjectCommandOutput> {
  const target = { Bucket: bucket, Key: key };
  const { size } = await stat(file);
  const handle = await open(file);
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
