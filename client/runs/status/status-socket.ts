import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { runIdSchema, type RunId } from '../../../domain/ids.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { resultFormats } from '../../../domain/option.js';
import { tones } from '../../services/tell.js';

// The command that keeps the services of a TURNWISE_HOME running answers `status` of other commands. It is connected to
// Temporal and has the run's files in memory. A new process needs a second of CPU time for both.

/** The longest path of a Unix socket on macOS, in bytes. Linux allows four more. */
const longestPath = 103;

// Not TMPDIR: that may be long as well, and differ between two terminals.
const { uid } = userInfo();
const folderInTmp = `/tmp/turnwise-${uid}`;

/** In the home; where its path would be too long, in a folder of this user below /tmp. */
export function statusSocket(home: string): string {
  const inHome = join(home, 'status.sock');
  if (Buffer.byteLength(inHome) <= longestPath) return inHome;
  const name = createHash('sha256').update(home).digest('hex').slice(0, 32);
  return join(folderInTmp, `${name}.sock`);
}

/** Any user may make a folder in /tmp. It is used only if this user owns it and no other user can write to it. */
export function isTrusted(socket: string, home: string): boolean {
  const folder = dirname(socket);
  if (folder === home) return true;
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.uid === uid && (found.mode & 0o022) === 0;
}

/** One line of JSON each way. */
export const statusRequestSchema = z.object({
  run: runIdSchema,
  /** A format; or `nothing`: the sender announces that the run was started or changed. */
  as: z.enum([...resultFormats, 'nothing']),
  /** Of the lines of a text. Infinity becomes null. @defaultValue any */
  width: z.number().positive().nullish(),
});
type StatusRequest = Readonly<z.infer<typeof statusRequestSchema>>;

const statusReplySchema = z.object({
  lines: z.array(z.array(z.object({ text: z.string(), tone: z.enum(tones).optional() }))),
});
type StatusReply = z.infer<typeof statusReplySchema>;

/** Longer than a new snapshot takes. A command stopped by Ctrl-Z does not answer. */
const replyMs = 3_000;
/** The sender only announces a change, and does not wait for a reply. */
const announceMs = 500;

/**
 * Tells the command that keeps the services, if there is one, that a run was started or changed. That command then
 * refreshes its snapshot of the run before anybody asks.
 */
export async function announceRun(home: string, run: RunId): Promise<void> {
  await askForStatus(home, { run, as: 'nothing' }, announceMs);
}

/**
 * The reply of the command that keeps the services. Null where there is no such command, or it does not answer.
 * @param timeoutMs - for each part of the reply
 */
export function askForStatus(
  home: string,
  request: StatusRequest,
  timeoutMs = replyMs,
): Promise<StatusReply['lines'] | null> {
  const path = statusSocket(home);
  if (!isTrusted(path, home)) return Promise.resolve(null);
  return new Promise((resolve) => {
    const socket = connect(path);
    const parts: Buffer[] = [];
    const giveUp = (): void => {
      socket.destroy();
      resolve(null);
    };
    socket.setTimeout(timeoutMs, giveUp);
    socket.on('error', giveUp);
    socket.on('data', (part) => parts.push(part));
    socket.on('end', () => {
      const reply = statusReplySchema.safeParse(jsonIn(Buffer.concat(parts).toString('utf8')));
      resolve(reply.data?.lines ?? null);
    });
    socket.end(`${JSON.stringify(request)}\n`);
  });
}
