import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { runCommand } from './python.js';
import { timeLimit } from '../adapters/time-limit.js';

const answerWithinMs = 10_000;
const wholeWithinMs = 15 * 60_000;

/** The reply of Temporal's download service: the archive, and the name of the program in it. */
const downloadInfoSchema = z.object({ archiveUrl: z.url(), fileToExtract: z.string().min(1) });

/**
 * Downloads the archive that `infoUrl` describes and unpacks `temporal` into `folder`. It gives up after ten seconds without
 * a reply, which matters on a machine without a network.
 * @returns undefined, or the reason of the failure
 */
export async function downloadTemporal(
  infoUrl: string,
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const archive = join(folder, 'temporal.tar.gz');
  try {
    const info = downloadInfoSchema.parse(await (await answer(infoUrl, signal)).json());
    const response = await answer(info.archiveUrl, signal);
    if (!response.body) return 'the download was empty';
    const limit = AbortSignal.any([signal, timeLimit(wholeWithinMs)]);
    await pipeline(Readable.fromWeb(response.body), createWriteStream(archive), { signal: limit });
    const unpacked = await runCommand('tar', ['-xzf', archive, '-C', folder, info.fileToExtract], {
      signal,
    });
    if (unpacked.kind === 'done') return undefined;
    return unpacked.kind === 'missing' ? 'there is no tar to unpack it' : unpacked.output.trim();
  } catch (error) {
    signal.throwIfAborted();
    return `${new URL(infoUrl).host} ${reasonOf(error)}`;
  } finally {
    await rm(archive, { force: true });
  }
}

/** The timeout applies to the headers of the reply, not to its body. */
async function answer(url: string, signal: AbortSignal): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error('did not answer within 10 s')),
    answerWithinMs,
  );
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, late.signal]) });
    if (!response.ok) throw new Error(`answered ${response.status}`);
    return response;
  } finally {
    clearTimeout(timer);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error
    ? `cannot be reached (${error.cause.message})`
    : error.message;
}
