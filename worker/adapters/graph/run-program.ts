import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { timeLimit } from '../time-limit.js';

/** Signals a service and its children; services lead a process group of their own. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

interface ProgramRequest {
  /** For `sh`. */
  readonly command: string;
  readonly stdin: string;
  readonly timeoutMs: number;
  /** On stdout. */
  readonly mostOutputBytes: number;
}

/** How a program ended. A long `stderr` is reduced to its beginning and its end. */
export type ProgramEnd =
  | {
      readonly kind: 'exited';
      readonly status: number;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: 'killed'; readonly by: string }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'too-much-output' };

/** Of the beginning and of the end of stderr. */
const keptChars = 8_000;

/**
 * Runs a program in a process group of its own, and kills the whole group when the program ends. Rejects if it cannot be
 * started, and with the reason of `signal` if that aborts.
 */
export async function runProgram(
  request: ProgramRequest,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  signal.throwIfAborted();
  const tooMuch = new AbortController();
  const late = timeLimit(request.timeoutMs);
  const ended = await startAndWait(
    request,
    tooMuch,
    AbortSignal.any([signal, late, tooMuch.signal]),
  );
  signal.throwIfAborted();
  if (tooMuch.signal.aborted) return { kind: 'too-much-output' };
  return late.aborted ? { kind: 'timed-out' } : ended;
}

function startAndWait(
  { command, stdin, timeoutMs, mostOutputBytes }: ProgramRequest,
  tooMuch: AbortController,
  end: AbortSignal,
): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    // `detached` makes a process group.
    const script = `${alarm(timeoutMs)}\n${command}`;
    const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'pipe' });
    const killGroup = (): void => {
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    };
    const stdout: Buffer[] = [];
    let bytes = 0;
    let stderr = '';
    child.stdout.on('data', (data: Buffer) => {
      bytes += data.length;
      if (bytes > mostOutputBytes) tooMuch.abort();
      else stdout.push(data);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = withoutMiddle(stderr + text);
    });
    // The pipe breaks if the program ends without reading all of its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    end.addEventListener('abort', killGroup, { once: true });
    child.once('error', reject);
    child.once('exit', killGroup);
    child.once('close', (status, by) => {
      end.removeEventListener('abort', killGroup);
      const killer = by ?? signalIn(status ?? 0);
      resolve(
        killer === undefined
          ? {
              kind: 'exited',
              status: status ?? 0,
              stdout: Buffer.concat(stdout).toString(),
              stderr,
            }
          : { kind: 'killed', by: killer },
      );
    });
  });
}

/** Kills the group one second after its timeout, in case this process has died. */
const alarm = (timeoutMs: number): string =>
  `(sleep ${Math.ceil(timeoutMs / 1000) + 1}; kill -s KILL 0) </dev/null >/dev/null 2>&1 &`;

/** A shell whose command was killed exits with 128 plus the signal's number. */
const signalIn = (status: number): string | undefined =>
  Object.entries(constants.signals).find(([, number]) => number === status - 128)?.[0];

const withoutMiddle = (text: string): string =>
  text.length <= 2 * keptChars ? text : text.slice(0, keptChars) + text.slice(-keptChars);
