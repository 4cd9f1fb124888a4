import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { LRUCache } from 'lru-cache';
import { afterProcessDeath, hadFairTime } from '../../../domain/lost-statement.js';
import type { Answer, FromProcess, Question } from './messages.js';
import { createPool } from './pool.js';

export type Asked =
  | Answer
  | { readonly kind: 'timeout' }
  | { readonly kind: 'out-of-memory' }
  /** Process after process died of it, while others worked. */
  | { readonly kind: 'crashed' }
  /** The process was killed, paused or starved. It says nothing about the statement. */
  | { readonly kind: 'lost'; readonly reason: string };

/** An answer, and how many milliseconds it took in its process. */
export interface TimedAnswer {
  readonly asked: Asked;
  readonly ms: number;
}

export interface QueryProcesses {
  /**
   * Asks questions about one file, each for at most `timeoutMs` after the wait for a free process. Questions that are quick
   * follow one another in the same process, which then opens the file once. Rejects with the signal's reason if that aborts.
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

/** Databases that all processes together keep open. One takes 3.5 MB, and opening it 12 ms of CPU time. */
const openDatabases = 256;

/** How long a process may take to start, and to answer a trivial statement. */
const patienceMs = 60_000;

/** How long after its channel a process ends. */
const exitMs = 1_000;

const killed: Asked = { kind: 'lost', reason: 'its query process was killed' };

/** Started before they are needed, since the first statements of a run's questions come at the same time. */
const startedAhead = 2;

/** The place of a process, in which another follows when it ends. */
interface Slot {
  process: Promise<ChildProcess> | null;
  /** The files that the process was asked about and has open; none if it is new. */
  readonly open: LRUCache<string, true>;
}

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
  /** See `hadFairTime`. */
  readonly fairShare?: number | undefined;
}): QueryProcesses {
  const keptOpen = Math.ceil(openDatabases / options.processes);
  const alive = new Set<ChildProcess>();
  let closed = false;

  const start = async (): Promise<ChildProcess> => {
    const child = fork(options.entry, [String(options.memoryMb), String(keptOpen)], {
      env: { TZ: 'UTC' },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    alive.add(child);
    child.once('exit', () => alive.delete(child));
    await untilReady(child);
    return child;
  };

  const slots = Array.from({ length: options.processes }, (_, index): Slot => {
    const process = index < startedAhead ? start() : null;
    // A failure is reported when the process is needed.
    process?.catch(() => undefined);
    return { process, open: new LRUCache({ max: keptOpen }) };
  });
  const inSlot = createPool(slots, ({ open }, file: string) => open.has(file));

  const processIn = async (slot: Slot): Promise<ChildProcess> => {
    const known = await slot.process?.catch(() => null);
    if (known?.connected) return known;
    slot.open.clear();
    slot.process = start();
    return slot.process;
  };

  const askOnce = async (
    slot: Slot,
    question: Question,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<TimedAnswer & { readonly isNew: boolean }> => {
    const child = await processIn(slot);
    const isNew = slot.open.size === 0;
    slot.open.set(question.file, true);
    const begin = performance.now();
    let asked: Asked | null = null;
    try {
      asked = await exchange(child, question, { timeoutMs, fairShare: options.fairShare }, signal);
    } finally {
      if (asked === null || !isAnswer(asked)) {
        child.kill('SIGKILL');
        slot.process = null;
      }
    }
    return { asked, isNew, ms: Math.round((performance.now() - begin) * 10) / 10 };
  };

  const askIn = async (
    slot: Slot,
    question: Question,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<TimedAnswer> => {
    for (let deaths = 0; ;) {
      const { asked, ms, isNew } = await askOnce(slot, question, timeoutMs, signal);
      const hasEnded =
        asked.kind === 'out-of-memory' || asked.kind === 'crashed' || asked === killed;
      // What earlier questions have left may be what has ended it.
      if (hasEnded && !isNew) continue;
      if (asked.kind !== 'crashed') return { asked, ms };
      deaths += 1;
      const control = { kind: 'query', file: question.file, sql: 'SELECT 1', maxRows: 1 } as const;
      const other = await askOnce(slot, control, patienceMs, signal);
      // So that the statement gets a new process again.
      (await slot.process)?.kill('SIGKILL');
      slot.process = null;
      switch (afterProcessDeath(deaths, isAnswer(other.asked))) {
        case 'ask-again':
          continue;
        case 'statement-at-fault':
          return { asked, ms };
        case 'outage':
          return { asked: { kind: 'lost', reason: 'its query processes are killed' }, ms };
      }
    }
  };

  /** Asks as many of the questions as one process answers in `turnMs`, at least one. */
  const askSome = (
    questions: readonly Question[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<readonly TimedAnswer[]> =>
    inSlot(
      questions[0]?.file ?? '',
      async (slot) => {
        if (closed) throw new Error('The query processes are closed.');
        const answers: TimedAnswer[] = [];
        const end = performance.now() + turnMs;
        for (const question of questions) {
          answers.push(await askIn(slot, question, timeoutMs, signal));
          if (performance.now() > end) break;
        }
        return answers;
      },
      signal,
    );

  return {
    askAll: async (questions, timeoutMs, signal) => {
      const answers: TimedAnswer[] = [];
      while (answers.length < questions.length) {
        answers.push(...(await askSome(questions.slice(answers.length), timeoutMs, signal)));
      }
      return answers;
    },
    close: () => {
      closed = true;
      for (const child of alive) child.kill('SIGKILL');
    },
  };
}

async function untilReady(child: ChildProcess): Promise<void> {
  const settled = new AbortController();
  // One that is paused while it starts would hold its place for ever.
  const late = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  try {
    await Promise.race([
      once(child, 'message', settled),
      once(child, 'exit', settled).then(([code]) => {
        throw new Error(`A query process ended with ${String(code)} before it was ready.`);
      }),
    ]);
  } finally {
    clearTimeout(late);
    settled.abort();
  }
}

function exchange(
  child: ChildProcess,
  question: Question,
  { timeoutMs, fairShare }: { readonly timeoutMs: number; readonly fairShare: number | undefined },
  signal: AbortSignal,
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let cpuMs = 0;
    const settled = (asked: Asked | null): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit).off('disconnect', onDisconnect);
      signal.removeEventListener('abort', onAbort);
      if (asked === null) reject(signal.reason as Error);
      else resolve(asked);
    };
    // The messages of `query-process.ts` after `ready`.
    const onMessage = (message: unknown): void => {
      const said = message as Exclude<FromProcess, { kind: 'ready' }>;
      if (said.kind === 'used') cpuMs = said.cpuMs;
      else settled(said);
    };
    // SIGKILL comes from outside: no crash of DuckDB ends a process so.
    const onExit = (_code: number | null, by: string | null): void =>
      settled(by === 'SIGKILL' ? killed : { kind: 'crashed' });
    // The exit says why, if it follows.
    const onDisconnect = (): void => void setTimeout(() => settled(killed), exitMs).unref();
    const onAbort = (): void => settled(null);
    const onTime = (): void =>
      settled(
        hadFairTime({ cpuMs, wallMs: timeoutMs }, fairShare)
          ? { kind: 'timeout' }
          : { kind: 'lost', reason: 'the machine gave its query process too little time' },
      );
    const timer = setTimeout(onTime, timeoutMs);
    child.on('message', onMessage).on('exit', onExit).on('disconnect', onDisconnect);
    signal.addEventListener('abort', onAbort);
    // A message cannot be sent to a process that has just ended.
    child.send(question, (error) => {
      if (error) onDisconnect();
    });
  });
}

function isAnswer(asked: Asked): asked is Answer {
  return !['timeout', 'out-of-memory', 'crashed', 'lost'].includes(asked.kind);
}
