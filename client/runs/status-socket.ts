import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { runIdSchema, type RunId } from '../../domain/ids.js';
import { jsonIn } from '../../domain/formats/json.js';

// The command that keeps services running answers `status` for others of its TURNWISE_HOME: it has read the run's files
// before and is connected, for which a new process computes for a second, and waits for several where the machine is busy.

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

/** Anybody may make a folder below /tmp: it is used only if it is this user's, and no other can write to it. */
export function isTrusted(socket: string, home: string): boolean {
  const folder = dirname(socket);
  if (folder === home) return true;
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.uid === uid && (found.mode & 0o022) === 0;
}

/** One line of JSON each way. */
export const statusRequestSchema = z.object({
  run: runIdSchema,
  /** Lines for the terminal, a document, or nothing: the run was begun or changed, and will be asked about. */
  as: z.enum(['text', 'json', 'nothing']),
});
export type StatusRequest = Readonly<z.infer<typeof statusRequestSchema>>;

export const statusReplySchema = z.object({ text: z.string() });
export type StatusReply = z.infer<typeof statusReplySchema>;

/** Longer than it takes to look at a run anew: one that does not answer may have been stopped by Ctrl-Z. */
const replyMs = 3_000;
/** Nobody is to wait for it. */
const announceMs = 500;

/**
 * Tells the command with the services, if there is one, that a run was begun or changed. It looks at the run now and then
 * from there on, so that it has seen it when it is asked.
 */
export async function announceRun(home: string, run: RunId): Promise<void> {
  await askForStatus(home, { run, as: 'nothing' }, announceMs);
}

/**
 * What the command with the services says of a run; null where there is none, or it does not say.
 * @param patienceMs - for a part of its reply
 */
export function askForStatus(
  home: string,
  request: StatusRequest,
  patienceMs = replyMs,
): Promise<string | null> {
  const path = statusSocket(home);
  if (!isTrusted(path, home)) return Promise.resolve(null);
  return new Promise((resolve) => {
    const socket = connect(path);
    const parts: Buffer[] = [];
    const giveUp = (): void => {
      socket.destroy();
      resolve(null);
    };
    socket.setTimeout(patienceMs, giveUp);
    socket.on('error', giveUp);
    socket.on('data', (part) => parts.push(part));
    socket.on('end', () => {
      const reply = statusReplySchema.safeParse(jsonIn(Buffer.concat(parts).toString('utf8')));
      resolve(reply.data?.text ?? null);
    });
    socket.end(`${JSON.stringify(request)}\n`);
  });
}
