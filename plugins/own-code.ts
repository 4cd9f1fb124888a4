import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { OwnCodePort } from '../activities/ports/own-code.js';
import { exactJson } from '../domain/formats/json.js';
import { preview } from '../domain/formats/text.js';
import { ownFailure, type OwnOutcome } from '../domain/own-code.js';
import { cacheFolder } from '../storage/cached-replies.js';
import { createPluginThreads, type PluginThreads } from './plugin-threads.js';

export interface OwnCode extends OwnCodePort, Pick<PluginThreads, 'exportsOf'> {
  readonly close: () => Promise<void>;
}

/**
 * Runs the user's own code: plugins in threads, programs in processes. What comes back never quotes one of the `secrets`.
 */
export function createOwnCode({
  home,
  secrets = [],
  env = process.env,
  thread,
}: {
  readonly home: string;
  readonly secrets?: readonly string[];
  /** What plugins see as their environment. @defaultValue that of this process */
  readonly env?: NodeJS.ProcessEnv;
  /** The compiled `plugin-thread.ts`. */
  readonly thread?: URL;
}): OwnCode {
  const threads = createPluginThreads({
    folder: join(cacheFolder(home), 'plugins'),
    env,
    ...(thread && { thread }),
  });
  const programs = createScorerPrograms();
  const safe = (outcome: OwnOutcome): OwnOutcome =>
    outcome.kind === 'failed' &&
    secrets.some((secret) => `${outcome.message}\n${outcome.lastWords ?? ''}`.includes(secret))
      ? ownFailure(outcome.failure, 'its message contains a key, and is left out')
      : outcome;
  return {
    callPlugin: async (call, signal) => safe(await threads.callPlugin(call, signal)),
    callProgram: async (call, signal) => safe(await programs.callProgram(call, signal)),
    exportsOf: threads.exportsOf,
    close: async () => {
      programs.close();
      await threads.close();
    },
  };
}

/** Processes of one command at a time. */
const mostProcesses = Math.max(2, Math.min(4, availableParallelism()));

/** A reply is one line: of a score and its reason. */
const mostOutputChars = 1_000_000;

/** Of stderr, its end. */
const keptChars = 8_000;

interface ScorerPrograms {
  readonly callProgram: OwnCodePort['callProgram'];
  readonly close: () => void;
}

/**
 * Programs of the user's that score answers: a line of JSON in, a line of JSON out. A process is kept for further lines. It
 * gets the next line when it has answered the last one, and is killed when it is late, or answers nonsense. At the end of
 * its input it is to end by itself, also when this process is killed.
 */
export function createScorerPrograms(): ScorerPrograms {
  const pools = new Map<string, Pool>();
  return {
    callProgram: async ({ command, input, timeoutMs }, signal) => {
      signal.throwIfAborted();
      let pool = pools.get(command);
      if (pool === undefined) {
        pool = new Pool(command);
        pools.set(command, pool);
      }
      return pool.ask(`${exactJson(input)}\n`, timeoutMs, signal);
    },
    close: () => {
      for (const pool of pools.values()) pool.close();
    },
  };
}

class Pool {
  readonly #command: string;
  readonly #idle: Program[] = [];
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(command: string) {
    this.#command = command;
  }

  async ask(line: string, timeoutMs: number, signal: AbortSignal): Promise<OwnOutcome> {
    while (this.#running >= mostProcesses) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
    try {
      signal.throwIfAborted();
      for (;;) {
        const kept = this.#taken();
        const program = kept ?? new Program(this.#command);
        const outcome = await program.ask(line, timeoutMs, signal);
        // It may end after each answer, and is not seen to have ended yet.
        if (outcome.kind === 'failed' && program.hasEndedWell && kept !== undefined) continue;
        if (program.isUsable) this.#idle.push(program);
        return outcome.kind === 'failed' ? { ...outcome, lastWords: program.lastWords } : outcome;
      }
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  close(): void {
    for (const program of this.#idle.splice(0)) program.end();
  }

  #taken(): Program | undefined {
    for (;;) {
      const program = this.#idle.pop();
      if (program === undefined || program.isUsable) return program;
    }
  }
}

interface ProgramEnd {
  /** Null if it was killed. */
  readonly status: number | null;
  readonly error?: Error;
}

/** One process of a scorer program. */
class Program {
  readonly #child: ChildProcessWithoutNullStreams;
  #stdout = '';
  #stderr = '';
  #isEnded = false;
  /** Called when there is something new to look at. */
  #wake: () => void = () => undefined;
  #end: ProgramEnd | null = null;

  constructor(command: string) {
    // `detached` makes a process group, which Ctrl-C in a terminal does not reach.
    this.#child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: 'pipe' });
    const { stdin, stdout, stderr } = this.#child;
    // The pipe breaks if the program ends without reading its input.
    stdin.on('error', () => undefined);
    stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
      this.#wake();
    });
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-keptChars);
    });
    this.#child.once('error', (error) => {
      this.#end = { status: null, error };
      this.#wake();
    });
    this.#child.once('close', (status) => {
      this.#end ??= { status };
      this.#wake();
    });
    this.#keepsAlive(false);
  }

  get isUsable(): boolean {
    return !this.#isEnded && this.#end === null;
  }

  get hasEndedWell(): boolean {
    return this.#end?.status === 0;
  }

  /** The last lines of stderr. */
  get lastWords(): string {
    const text = stripVTControlCharacters(this.#stderr);
    return text.trimEnd().split('\n').slice(-10).join('\n');
  }

  async ask(line: string, timeoutMs: number, signal: AbortSignal): Promise<OwnOutcome> {
    this.#keepsAlive(true);
    const late = AbortSignal.timeout(timeoutMs);
    const timer = setTimeout(() => this.#wake(), timeoutMs + 1);
    const woken = (): void => this.#wake();
    signal.addEventListener('abort', woken, { once: true });
    try {
      this.#child.stdin.write(line);
      for (;;) {
        if (signal.aborted) {
          this.end();
          throw signal.reason;
        }
        const reply = this.#nextLine();
        if (reply !== null) return this.#read(reply);
        if (this.#end !== null) return this.#howItEnded(this.#end);
        if (late.aborted) {
          this.end();
          return ownFailure(
            'timeout',
            `the scorer program did not answer within ${timeoutMs / 1000} seconds`,
          );
        }
        if (this.#stdout.length > mostOutputChars) return this.#nonsense('a very long line');
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', woken);
      this.#wake = () => undefined;
      this.#keepsAlive(false);
    }
  }

  /** Kills it, and what it has started. */
  end(): void {
    this.#isEnded = true;
    const { pid } = this.#child;
    if (pid === undefined || this.#end !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }

  /** An idle process keeps this one from ending no longer. */
  #keepsAlive(keeps: boolean): void {
    const streams = [this.#child.stdin, this.#child.stdout, this.#child.stderr];
    for (const each of [this.#child, ...streams] as { ref?: () => void; unref?: () => void }[]) {
      if (keeps) each.ref?.();
      else each.unref?.();
    }
  }

  /** The next line that is not blank, if it has been written to its end, or the program has ended. */
  #nextLine(): string | null {
    for (;;) {
      const end = this.#stdout.indexOf('\n');
      if (end === -1 && this.#end === null) return null;
      const line = end === -1 ? this.#stdout : this.#stdout.slice(0, end);
      this.#stdout = end === -1 ? '' : this.#stdout.slice(end + 1);
      if (line.trim() !== '') return line;
      if (end === -1) return null;
    }
  }

  #read(line: string): OwnOutcome {
    try {
      return { kind: 'returned', value: JSON.parse(line) };
    } catch {
      return this.#nonsense(preview(line, 80));
    }
  }

  #nonsense(what: string): OwnOutcome {
    this.end();
    return ownFailure(
      'nonsense',
      `the scorer program is to print one line of JSON for each answer, and printed ${what}`,
    );
  }

  #howItEnded({ status, error }: ProgramEnd): OwnOutcome {
    if (error !== undefined) {
      return ownFailure('crash', 'the scorer program cannot be started');
    }
    const quote = complaint(this.#stderr);
    const silently = status === 0 ? ' and without an answer' : '';
    const how = status === null ? 'was killed' : `ended with status ${status}${silently}`;
    return ownFailure('crash', `the scorer program ${how}${quote === '' ? '' : `: ${quote}`}`);
  }
}

/** The last line of stderr: of a traceback it names the exception; with the last place in it, if it has one. */
function complaint(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const [, file, line] = [...stderr.matchAll(/^ {2}File "([^"\n]+)", line (\d+)/gm)].at(-1) ?? [];
  const place = file === undefined || line === undefined ? '' : `${file}:${line}: `;
  return preview(`${place}${(lines.at(-1) ?? '').trim()}`, 300).replace(/\.$/, '');
}
