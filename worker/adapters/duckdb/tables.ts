import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { ScratchOutcome, ScratchPort } from '../../../activities/ports/building.js';
import type { SqlOutcome, TablesPort } from '../../../activities/ports/tools.js';
import type { DatabaseRef } from '../../../domain/stores/database.js';
import type { ImportedDatabases } from '../../../storage/stores/store-place.js';
import type { StoreContents, StoreGenerations } from '../../../storage/stores/store-generations.js';
import { UnchangedFiles } from '../../../storage/unchanged-files.js';
import type { Question } from './messages.js';
import { createGuard, type Guard } from '../guard.js';
import { timeLimit } from '../time-limit.js';
import { createQueryProcesses, type Asked, type TimedAnswer } from './query-processes.js';

const textsTimeoutMs = 30_000;

/** Two at least, so that a slow statement does not hold up all others; more than eight would take too much memory. */
const usualProcesses = Math.max(2, Math.min(8, availableParallelism()));

/** The tables of stores and of imported databases. `close` ends the processes that read them. */
export function createDuckdbTables({
  generations,
  imported,
  processes = usualProcesses,
  memoryMb = 1024,
  fairShare,
  entry = new URL('./query-process.js', import.meta.url),
}: {
  readonly generations: Pick<StoreGenerations, 'holding' | 'file' | 'forget'>;
  readonly imported: Pick<ImportedDatabases, 'file'>;
  /** Statements that run at once. @defaultValue as many as the machine has cores, from 2 to 8 */
  readonly processes?: number | undefined;
  /** The memory of a process; DuckDB itself may use half of it. @defaultValue 1024 */
  readonly memoryMb?: number;
  /** The share of a core without which a statement's time-out is the machine's. @defaultValue half of one */
  readonly fairShare?: number;
  /** The compiled process. @defaultValue beside this module */
  readonly entry?: URL;
}): TablesPort & { readonly scratch: ScratchPort; readonly close: () => void } {
  const pool = createQueryProcesses({ entry, processes, memoryMb, fairShare });
  const fileOf = async (database: DatabaseRef): Promise<string> => {
    if (database.kind === 'imported') return imported.file(database.id);
    const { name: store, fingerprint } = database;
    return generations.file(await generations.holding({ store, fingerprint }), 'tables');
  };

  /** Asks again where the file is gone: the generation may have been repaired under a higher number. */
  const asking = async (
    database: DatabaseRef,
    signal: AbortSignal,
    ask: (file: string) => Promise<readonly TimedAnswer[]>,
  ): Promise<readonly TimedAnswer[]> => {
    const before = await fileOf(database);
    try {
      const answers = await ask(before);
      const isGone = answers[0]?.asked.kind === 'store-missing';
      if (database.kind !== 'store' || !isGone) return answers;
      generations.forget(database.name);
      const now = await fileOf(database);
      return now === before ? answers : await ask(now);
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof PortFailure) throw cause;
      throw new PortFailure('StoreUnavailable', `${nameOf(database)} cannot be asked now.`, {
        cause,
      });
    }
  };

  /** Whether statements over a database fail, or what runs them, is decided for each database. */
  const guards = new Map<string, Guard>();
  const guarded = (
    database: DatabaseRef,
    signal: AbortSignal,
    questions: (file: string) => readonly Question[],
    timeoutMs: number,
  ): Promise<readonly TimedAnswer[]> => {
    const name = nameOf(database);
    const guard = guards.get(name) ?? createGuard(name, 'databases');
    guards.set(name, guard);
    return guard.through(
      () => asking(database, signal, (file) => pool.askAll(questions(file), timeoutMs, signal)),
      () => {
        const late = timeLimit(probeMs);
        const probe = { kind: 'query', sql: 'SELECT 1', maxRows: 1 } as const;
        return asking(database, late, (file) => pool.askAll([{ ...probe, file }], probeMs, late));
      },
    );
  };

  const queries: TablesPort['queries'] = async (asked, signal) => {
    const { database, statements, maxRows, timeoutMs } = asked;
    const questions = (file: string): readonly Question[] =>
      statements.map((sql) => ({ kind: 'query', file, sql, maxRows }));
    const answers = await guarded(database, signal, questions, timeoutMs);
    return answers.map(({ asked, ms }) => ({
      outcome: outcomeOf(asked) ?? refuse(database, asked),
      ms,
    }));
  };

  return {
    queries,
    query: async ({ sql, ...asked }, signal) =>
      onlyOf(await queries({ ...asked, statements: [sql] }, signal)).outcome,
    texts: rememberTexts(
      async ({ store: name, fingerprint, ...wanted }, signal) => {
        const database = { kind: 'store', name, fingerprint } as const;
        const question = (file: string): readonly Question[] => [
          { kind: 'texts', file, ...wanted },
        ];
        const { asked } = onlyOf(await guarded(database, signal, question, textsTimeoutMs));
        return asked.kind === 'texts' ? new Map(asked.texts) : refuse(database, asked);
      },
      ({ store: name, fingerprint }) => fileOf({ kind: 'store', name, fingerprint }),
    ),
    scratch: {
      fill: async ({ timeoutMs, ...request }, signal) =>
        scratchOutcome(
          onlyOf(await pool.askAll([{ kind: 'scratch', file: '', ...request }], timeoutMs, signal))
            .asked,
          timeoutMs,
        ),
    },
    close: pool.close,
  };
}

function onlyOf<T>([answer]: readonly T[]): T {
  if (answer === undefined) throw new Error('a question has an answer');
  return answer;
}

/** For a statement that takes no time. */
const probeMs = 10_000;

function scratchOutcome(asked: Asked, timeoutMs: number): ScratchOutcome {
  if (asked.kind === 'scratch') return asked.outcome;
  if (asked.kind === 'timeout') {
    return { kind: 'failed', message: `The statements take more than ${timeoutMs / 1000} s.` };
  }
  const outcome = outcomeOf(asked);
  if (outcome?.kind === 'sql-error') return { kind: 'failed', message: outcome.message };
  throw new PortFailure(
    'StoreUnavailable',
    `a scratch database cannot be made now: ${reasonOf(asked)}`,
  );
}

/** The outcome for the model; null if the store is at fault, not the statement. */
function outcomeOf(asked: Asked): SqlOutcome | null {
  switch (asked.kind) {
    case 'rows':
    case 'sql-error':
      return asked;
    case 'timeout':
      return { kind: 'sql-timeout' };
    case 'out-of-memory':
      return failed('memory', 'The statement needs more memory than it may use.');
    case 'crashed':
      return failed('crash', 'The statement brought the database engine down.');
    case 'lost':
    case 'texts':
    case 'scratch':
    case 'store-missing':
    case 'store-damaged':
    case 'store-unavailable':
      return null;
  }
}

const failed = (failure: string, message: string): SqlOutcome => ({
  kind: 'sql-error',
  failure,
  message,
});

const nameOf = (database: DatabaseRef): string =>
  database.kind === 'store' ? `Store ${database.name}` : `Database ${database.id}`;

function refuse(database: DatabaseRef, asked: Asked): never {
  const name = nameOf(database);
  const remedy =
    database.kind === 'store'
      ? `Make it with: turnwise store add PATH… --store ${database.name}`
      : 'Start the run again with the same command, which imports it.';
  if (asked.kind === 'store-missing') {
    throw new PortFailure('StoreMissing', `${name} is missing. ${remedy}`);
  }
  if (asked.kind === 'store-damaged') {
    throw new PortFailure('StoreMissing', `${name} is damaged. ${remedy}`);
  }
  throw new PortFailure('StoreUnavailable', `${name} cannot be read now: ${reasonOf(asked)}`);
}

function reasonOf(asked: Asked): string {
  if (asked.kind === 'store-unavailable') return asked.message;
  return asked.kind === 'lost' ? asked.reason : asked.kind;
}

type Texts = TablesPort['texts'];

/** Of one store. */
const mostCharacters = 16 * 2 ** 20;

/**
 * Caches the texts of stores until a store changes. The questions of a run find the same passages again and again, and each
 * read is a request to another process.
 * @param fileOf - the database of a store
 */
export function rememberTexts(
  read: Texts,
  fileOf: (contents: StoreContents) => Promise<string>,
): Texts {
  const stores = new UnchangedFiles();
  return async (wanted, signal) => {
    const { tableName, columnName, primaryKeys } = wanted;
    const place = (key: string): string => JSON.stringify([tableName, columnName, key]);
    const known =
      (await stores.read(await fileOf(wanted), () => Promise.resolve(emptyMemory()))) ??
      emptyMemory();

    const found = new Map<string, string>();
    for (const key of primaryKeys) {
      const text = known.get(place(key));
      if (text !== undefined) found.set(key, text);
    }
    const missing = primaryKeys.filter((key) => !found.has(key));
    if (missing.length === 0) return found;
    for (const [key, text] of await read({ ...wanted, primaryKeys: missing }, signal)) {
      known.set(place(key), text);
      found.set(key, text);
    }
    return found;
  };
}

const emptyMemory = (): LRUCache<string, string> =>
  new LRUCache({ maxSize: mostCharacters, sizeCalculation: ({ length }) => length + 1 });
