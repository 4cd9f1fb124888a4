import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Answer, FromProcess, Question } from './messages.js';
import { createSemaphore } from './semaphore.js';

export type Asked =
  | Answer
  | { readonly kind: 'timeout' }
  | { readonly kind: 'out-of-memory' }
  /** The process ended by itself: a statement crashed DuckDB, or the operating system killed the process. */
  | { readonly kind: 'crashed' };

/** An answer, and how many milliseconds it took in its process. */
export interface TimedAnswer {
  readonly asked: Asked;
  readonly ms: number;
}

export interface QueryProcesses {
  /** Waits for a free process, then for at most `timeoutMs`. Rejects with the signal's reason if that aborts. */
  readonly ask: (question: Question, timeoutMs: number, signal: AbortSignal) => Promise<Asked>;
  /**
   * Asks questions about one file, each for at most `timeoutMs`. Questions that are quick follow one another in the same
   * process, which then opens the file once.
   */
  readonly askAll: (
    questions: readonly Question[],
    timeoutMs: number,
    signal: AbortSignal,
  ) => Promise<readonly TimedAnswer[]>;
  readonly close: () => void;
}

/** How long quick questions of one caller keep a process from the others. */
const turnMs = 1000;

/**
 * Runs statements in processes of their own. A process is killed when its statement exceeds its time or memory, or when the
 * caller gives up. Inside the worker this would be impossible: DuckDB checks for an interrupt only between chunks of rows
 * (one `levenshtein` ran on for 18 s), its memory limit does not count the results of functions, and a statement would block
 * one of the four threads with which Node reads files. The processes get no environment variables that SQL could read.
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

  // Started before they are needed, since the first statements of a run's questions come at the same time.
  const ahead = Array.from({ length: options.processes }, start);
  // A failure is reported when the process is needed.
  for (const starting of ahead) starting.catch(() => undefined);

  const take = async (): Promise<ChildProcess> => {
    const [child] = idle;
    if (child) idle.delete(child);
    const ready = child ?? (await ahead.pop());
    return ready?.connected ? ready : start();
  };

  /** Asks as many of the questions as one process answers in `turnMs`, at least one. */
  const askSome = (
    questions: readonly Question[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<readonly TimedAnswer[]> =>
    withinLimit(async () => {
      if (closed) throw new Error('The query processes are closed.');
      const child = await take();
      const answers: TimedAnswer[] = [];
      let reusable = false;
      const end = performance.now() + turnMs;
      try {
        for (const question of questions) {
          reusable = false;
          const start = performance.now();
          const asked = await exchange(child, question, timeoutMs, signal);
          answers.push({ asked, ms: Math.round((performance.now() - start) * 10) / 10 });
          reusable = isAnswer(asked) && child.connected;
          if (!reusable || performance.now() > end) break;
        }
        return answers;
      } finally {
        if (reusable) idle.add(child);
        else child.kill('SIGKILL');
      }
    }, signal);

  const askAll: QueryProcesses['askAll'] = async (questions, timeoutMs, signal) => {
    const answers: TimedAnswer[] = [];
    while (answers.length < questions.length) {
      answers.push(...(await askSome(questions.slice(answers.length), timeoutMs, signal)));
    }
    return answers;
  };

  return {
    askAll,
    ask: async (question, timeoutMs, signal) => {
      const [answer] = await askSome([question], timeoutMs, signal);
      if (answer === undefined) throw new Error('a question has an answer');
      return answer.asked;
    },
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
      child.off('message', onMessage).off('exit', onGone).off('disconnect', onGone);
      signal.removeEventListener('abort', onAbort);
      if (asked === null) reject(signal.reason as Error);
      else resolve(asked);
    };
    // The messages of `query-process.ts` after `ready`.
    const onMessage = (answer: unknown): void =>
      settled(answer as Exclude<FromProcess, { kind: 'ready' }>);
    const onGone = (): void => settled({ kind: 'crashed' });
    const onAbort = (): void => settled(null);
    const timer = setTimeout(() => settled({ kind: 'timeout' }), timeoutMs);
    child.on('message', onMessage).on('exit', onGone).on('disconnect', onGone);
    signal.addEventListener('abort', onAbort);
    // A message cannot be sent to a process that has just ended.
    child.send(question, (error) => {
      if (error) settled({ kind: 'crashed' });
    });
  });
}

function isAnswer(asked: Asked): asked is Answer {
  return !['timeout', 'out-of-memory', 'crashed'].includes(asked.kind);
}
