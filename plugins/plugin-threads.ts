import { mkdir } from 'node:fs/promises';
import { join, dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { OwnCodePort, PluginCall } from '../activities/ports/own-code.js';
import { PortFailure } from '../activities/ports/port-failure.js';
import type { Exported } from '../domain/agent/plugin-exports.js';
import { preview } from '../domain/formats/text.js';
import { ownFailure, type OwnOutcome } from '../domain/agent/plugin.js';
import { writeFileAtomically } from '../storage/atomic-file.js';
import { sha256Of } from '../storage/sha256.js';
import type { FromThread, ThreadData, ToThread, ThrownError } from './messages.js';

/** How long a module may take to load. */
const loadMs = 30_000;

/** How long a thread may compute without an answer, once a call of it is late. */
const blockedMs = 1_000;

/** A module that cannot be loaded. The message is one sentence without a full stop, with the user's file and line. */
export class PluginNotLoaded extends Error {}

interface PluginThread {
  readonly exported: Exported;
  readonly call: (call: PluginCall, signal: AbortSignal) => Promise<OwnOutcome>;
  readonly close: () => Promise<void>;
}

export interface PluginThreads {
  readonly callPlugin: OwnCodePort['callPlugin'];
  /** What a plugin exports. Throws PluginNotLoaded. */
  readonly exportsOf: (plugin: PluginCall['plugin'], code: string) => Promise<Exported>;
  readonly close: () => Promise<void>;
}

/**
 * Threads that hold the user's code, one for each plugin, in which all calls of it share their state. One that blocks is
 * ended, and the next call starts another.
 */
export function createPluginThreads({
  thread = new URL('./plugin-thread.js', import.meta.url),
  folder,
  env = process.env,
  loadingMs = loadMs,
}: {
  /** The compiled `plugin-thread.ts`. */
  readonly thread?: URL;
  /** Where the code of plugins is written, to be loaded. */
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv;
  /** @defaultValue 30 s */
  readonly loadingMs?: number;
}): PluginThreads {
  const threads = new Map<string, Promise<PluginThread>>();

  return {
    callPlugin: async (call, signal) => {
      signal.throwIfAborted();
      const { plugin } = call;
      try {
        return await (await threadOf(plugin, call.code)).call(call, signal);
      } catch (error) {
        if (!(error instanceof PluginNotLoaded)) throw error;
        throw new PortFailure('PluginMissing', `A plugin cannot be loaded: ${error.message}.`);
      }
    },
    exportsOf: async (plugin, code) =>
      (await threadOf(plugin, () => Promise.resolve(code))).exported,
    close: async () => {
      const all = await Promise.allSettled([...threads.values()]);
      await Promise.all(
        all.flatMap((each) => (each.status === 'fulfilled' ? [each.value.close()] : [])),
      );
    },
  };

  function threadOf(
    { path, sha256 }: PluginCall['plugin'],
    code: PluginCall['code'],
  ): Promise<PluginThread> {
    const running = threads.get(sha256);
    if (running !== undefined) return running;
    const forget = (): void => {
      if (threads.get(sha256) === started) threads.delete(sha256);
    };
    const started = start(path, sha256, code, forget);
    threads.set(sha256, started);
    started.catch(forget);
    return started;
  }

  async function start(
    path: string,
    sha256: string,
    code: PluginCall['code'],
    onEnd: () => void,
  ): Promise<PluginThread> {
    const text = await code();
    if (text === null || sha256Of(text) !== sha256) {
      throw new PortFailure(
        'PluginMissing',
        `The code of plugin ${path} is ${text === null ? 'not' : 'other code than when the run began'} in the run's files.`,
      );
    }
    const file = join(folder, `${sha256}.mjs`);
    await mkdir(folder, { recursive: true });
    await writeFileAtomically(file, text);
    return startThread({ thread, path, file, env, loadingMs, onEnd });
  }
}

function startThread({
  thread,
  path,
  file,
  env,
  loadingMs,
  onEnd,
}: {
  readonly thread: URL;
  readonly path: string;
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  readonly loadingMs: number;
  readonly onEnd: () => void;
}): Promise<PluginThread> {
  const workerData: ThreadData = { file };
  // What the code prints goes to stderr: stdout may be a command's JSON.
  const worker = new Worker(thread, { workerData, env, stdout: true });
  worker.stdout.pipe(process.stderr, { end: false });
  const inFlight = new Map<number, (message: FromThread | 'ended') => void>();
  let next = 0;
  let heard = 0;
  const send = (message: ToThread): void => worker.postMessage(message);

  return new Promise((resolve, reject) => {
    const end = (): void => {
      onEnd();
      void worker.terminate();
      for (const settle of inFlight.values()) settle('ended');
      inFlight.clear();
    };
    const fail = (text: string): void => {
      clearTimeout(loading);
      end();
      reject(new PluginNotLoaded(text));
    };
    const loading = setTimeout(
      () => fail(`${path}: it does not load within ${loadingMs / 1000} seconds`),
      loadingMs,
    );
    worker.on('error', (error) => {
      const { message, stack = '' } = error;
      fail(errorText({ message, stack }, file, path));
    });
    worker.on('exit', () => fail(`${path}: it ended its thread`));
    worker.on('message', (message: FromThread) => {
      heard += 1;
      switch (message.kind) {
        case 'loaded':
          clearTimeout(loading);
          // Without a call it keeps no process from ending.
          worker.unref();
          resolve({
            exported: message.exported,
            call,
            close: async () => {
              await worker.terminate();
            },
          });
          break;
        case 'not-loaded':
          fail(errorText(message.error, file, path));
          break;
        case 'returned':
        case 'failed':
          inFlight.get(message.id)?.(message);
          break;
        case 'pong':
      }
    });

    const call = (
      { what, name, input, context, timeoutMs }: PluginCall,
      signal: AbortSignal,
    ): Promise<OwnOutcome> =>
      new Promise((settle, abandon) => {
        const id = next++;
        const done = (): void => {
          clearTimeout(late);
          signal.removeEventListener('abort', stop);
          inFlight.delete(id);
          if (inFlight.size === 0) worker.unref();
        };
        const giveUp = (): void => {
          done();
          send({ kind: 'abort', id });
          endIfBlocked();
        };
        const stop = (): void => {
          giveUp();
          abandon(signal.reason as Error);
        };
        const late = setTimeout(() => {
          giveUp();
          const seconds = timeoutMs / 1000;
          settle(
            ownFailure('timeout', `${path}: the ${what} ${name} took more than ${seconds} seconds`),
          );
        }, timeoutMs);
        signal.addEventListener('abort', stop, { once: true });
        inFlight.set(id, (message) => {
          done();
          if (message === 'ended') {
            abandon(
              new PortFailure(
                'PluginStopped',
                `The thread of plugin ${path} ended in a call of the ${what} ${name}.`,
              ),
            );
          } else if (message.kind === 'returned') {
            settle({ kind: 'returned', value: message.value });
          } else if (message.kind === 'failed') {
            settle(ownFailure(message.failure, errorText(message.error, file, path)));
          }
        });
        worker.ref();
        send({ kind: 'call', id, what, name, input, context });
      });

    /** A thread that computes for ever answers nobody. */
    function endIfBlocked(): void {
      const before = heard;
      send({ kind: 'ping' });
      setTimeout(() => {
        if (heard === before) end();
      }, blockedMs).unref();
    }
  });
}

const longest = 300;

/**
 * One sentence about an error of a plugin, without a full stop, with the user's file and line: `mine.ts:12: no such term`.
 * @param code - the file of the plugin's code, to whose folder the source map's paths are relative
 * @param path - of the plugin, as the user gave it
 */
export function errorText({ message, stack }: ThrownError, code: string, path: string): string {
  const place = placeIn(stack, code, path);
  const line = message.split('\n').find((each) => each.trim() !== '') ?? 'an error without a text';
  const text = preview(line.trim(), longest).replace(/\.$/, '');
  return `${place ?? path}: ${text}`;
}

/** The first line of a stack that is in the user's sources. */
function placeIn(stack: string, code: string, path: string): string | null {
  for (const [, at = '', line = ''] of stack.matchAll(
    /(?:\(|\bat (?:async )?)((?:file:|\/|[A-Z]:\\)[^()\n]*?):(\d+):\d+\)?$/gm,
  )) {
    const file = at.startsWith('file:') ? fileURLToPath(at) : at;
    const source = relative(dirname(code), file);
    const isOurs = file === code || file.endsWith('plugin-thread.js') || /\.turnwise$/.test(file);
    if (!isOurs && !source.includes('node_modules'))
      return `${join(dirname(path), source)}:${line}`;
  }
  return null;
}
