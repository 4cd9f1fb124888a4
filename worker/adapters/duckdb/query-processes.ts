import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Answer, FromProcess, Question } from './messages.js';
import { createSemaphore } from './semaphore.js';

export type Asked =
  | Answer
  | { readonly kind: 'timeout' }
  | { readonly kind: 'out-of-memory' }
  /** The process ended by itself: a statement brought DuckDB down, or the system needed the memory. */
  | { readonly kind: 'crashed' };

export interface QueryProcesses {
  /** Waits for a free process, then for at most `timeoutMs`. Rejects with the signal's reason when that aborts. */
  readonly ask: (question: Question, timeoutMs: number, signal: AbortSignal) => Promise<Asked>;
  readonly close: () => void;
}

/**
 * Runs each statement in a process that is killed when the statement outlives its time, its memory or its caller. DuckDB's
 * interrupt is honoured only between chunks of rows (`levenshtein` of two long texts went on for 18 s), its memory limit leaves
 * out what functions make, and a statement that hangs would hold one of the four threads this process reads its files with.
 * The processes get no environment, so there is nothing in them to be read.
 */
export function createQueryProcesses(options: {
  readonly entry: URL;
  readonly processes: number;
  readonly memoryMb: number;
}): QueryProcesses {
  const withinLimit = createSemaphore(options.processes);
  const alive = new Set<ChildProcess>();
  const idle = new Set<ChildProcess>();
  let closed = false;

  const start = async (): Promise<ChildProcess> => {
    const child = fork(options.entry, [String(options.memoryMb)], {
      env: { TZ: 'UTC' },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    alive.add(child);
    child.once('exit', () => {
      alive.delete(child);
      idle.delete(child);
    });
    await untilReady(child);
    return child;
  };

  // Ahead of the first statements, which all questions of a run come with at once.
  const ahead = Array.from({ length: options.processes }, start);
  // Whoever needs one hears of it.
  for (const starting of ahead) starting.catch(() => undefined);

  const take = async (): Promise<ChildProcess> => {
    const [child] = idle;
    if (child) idle.delete(child);
    const ready = child ?? (await ahead.pop());
    return ready?.connected ? ready : start();
  };

  return {
    ask: (question, timeoutMs, signal) =>
      withinLimit(async () => {
        if (closed) throw new Error('The query processes are closed.');
        const child = await take();
        let reusable = false;
        try {
          const asked = await exchange(child, question, timeoutMs, signal);
          reusable = isAnswer(asked) && child.connected;
          return asked;
        } finally {
          if (reusable) idle.add(child);
          else child.kill('SIGKILL');
        }
      }, signal),
    close: () => {
      closed = true;
      for (const child of alive) child.kill('SIGKILL');
    },
  };
}

async function untilReady(child: ChildProcess): Promise<void> {
  const settled = new AbortController();
  try {
    await Promise.race([
      once(child, 'message', settled),
      once(child, 'exit', settled).then(([code]) => {
        throw new Error(`A query process ended with ${String(code)} before it was ready.`);
      }),
    ]);
  } finally {
    settled.abort();
  }
}

function exchange(
  child: ChildProcess,
  question: Question,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const settled = (asked: Asked | null): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      if (asked === null) reject(signal.reason as Error);
      else resolve(asked);
    };
    // What `query-process.ts` sends once it is ready.
    const onMessage = (answer: unknown): void =>
      settled(answer as Exclude<FromProcess, { kind: 'ready' }>);
    const onExit = (): void => settled({ kind: 'crashed' });
    const onAbort = (): void => settled(null);
    const timer = setTimeout(() => settled({ kind: 'timeout' }), timeoutMs);
    child.on('message', onMessage).on('exit', onExit);
    signal.addEventListener('abort', onAbort);
    child.send(question);
  });
}

function isAnswer(asked: Asked): asked is Answer {
  return !['timeout', 'out-of-memory', 'crashed'].includes(asked.kind);
}
