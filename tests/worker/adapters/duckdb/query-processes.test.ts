import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createQueryProcesses,
  type QueryProcesses,
} from '../../../../worker/adapters/duckdb/query-processes.js';

const { signal } = new AbortController();
const memoryMb = 64;
let folder: string;
let pool: QueryProcesses;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-query-process-'));
});
afterEach(() => {
  pool.close();
  rmSync(folder, { recursive: true });
});

/** Processes that run this instead of statements: `asked` counts the questions of the process. */
function startProcesses(body: string, processes = 1): void {
  const script = join(folder, 'process.mjs');
  writeFileSync(
    script,
    `import { existsSync } from 'node:fs';
    let asked = 0;
    const rows = (...row) => process.send({ kind: 'rows', result: { columns: [], rows: [row], more: false } });
    const when = (file, then) => (existsSync(file) ? then() : setTimeout(when, 5, file, then));
    process.on('message', (question) => { asked += 1; ${body} });
    process.send({ kind: 'ready' });`,
  );
  pool = createQueryProcesses({ entry: pathToFileURL(script), processes, memoryMb });
}

const ask = (file = 'a.duckdb', sql = 'SELECT 1', timeoutMs = 20_000): Promise<unknown> =>
  pool
    .askAll([{ kind: 'query', file, sql, maxRows: 1 }], timeoutMs, signal)
    .then(([answer]) => answer?.asked)
    .then((asked) => (asked?.kind === 'rows' ? asked.result.rows[0] : asked?.kind));

it('is lost, without a word about the statement, where the channel to each process is closed', async () => {
  const script = join(folder, 'closed.mjs');
  // The process lives on, so that only the message that cannot be sent shows that it is lost.
  writeFileSync(
    script,
    "process.send({ kind: 'ready' }); process.disconnect(); setInterval(() => {}, 1000);",
  );
  pool = createQueryProcesses({ entry: pathToFileURL(script), processes: 1, memoryMb });
  expect(await ask()).toBe('lost');
});

describe('a process that ends in a question', () => {
  it.each([
    ["process.send({ kind: 'out-of-memory' }, () => process.kill(process.pid, 'SIGKILL'))"],
    ["process.kill(process.pid, 'SIGKILL')"],
  ])('after others is no fault of that question: %s', async (end) => {
    startProcesses(`if (asked === 1) rows(question.sql); else ${end};`);
    for (const sql of ['SELECT 1', 'SELECT 2', 'SELECT 3']) {
      expect(await ask('a.duckdb', sql)).toEqual([sql]);
    }
  });

  it('as its first is one, if it exceeds its memory', async () => {
    startProcesses("process.send({ kind: 'out-of-memory' });");
    expect(await ask()).toBe('out-of-memory');
  });

  const died = "process.kill(process.pid, 'SIGABRT')";
  const count = `const { appendFileSync, readFileSync } = process.getBuiltinModule('node:fs');`;

  it('is at fault if process after process dies of it, and others work', async () => {
    const tries = join(folder, 'tries');
    startProcesses(
      `${count} if (question.sql === 'SELECT 1') rows(1);
       else { appendFileSync('${tries}', 'x'); ${died}; }`,
    );
    expect(await ask('a.duckdb', 'SELECT bad')).toBe('crashed');
    expect(readFileSync(tries, 'utf8')).toBe('xxx');
    expect(await ask()).toEqual([1]);
  });

  it('is asked again of a new one', async () => {
    const tries = join(folder, 'tries');
    startProcesses(
      `${count} if (question.sql === 'SELECT 1') rows(1);
       else {
         appendFileSync('${tries}', 'x');
         if (readFileSync('${tries}', 'utf8') === 'x') ${died}; else rows(2);
       }`,
    );
    expect(await ask('a.duckdb', 'SELECT 2')).toEqual([2]);
  });

  it('is not at fault if it is killed from outside, however often', async () => {
    startProcesses(
      "if (question.sql === 'SELECT 1') rows(1); else process.kill(process.pid, 'SIGKILL');",
    );
    for (let time = 0; time < 4; time += 1) {
      expect(await ask('a.duckdb', 'SELECT 2')).toBe('lost');
    }
  });

  it('is not at fault where all others die as well', async () => {
    startProcesses(died);
    expect(await ask('a.duckdb', 'SELECT 2')).toBe('lost');
  });
});

describe('a question that exceeds its time', () => {
  it.each([
    ['had the processor', "process.send({ kind: 'used', cpuMs: 190 })", 'timeout'],
    ['had too little of it', "process.send({ kind: 'used', cpuMs: 20 })", 'lost'],
    ['ran in a process that is paused', "process.kill(process.pid, 'SIGSTOP')", 'lost'],
  ])('as it %s', async (_, body, outcome) => {
    startProcesses(body);
    expect(await ask('a.duckdb', 'SELECT 2', 300)).toBe(outcome);
  });
});

describe('a question', () => {
  it('waits for a process as long as the questions of others take', async () => {
    const end = join(folder, 'end');
    startProcesses(`when(question.sql, () => rows(question.sql));`);
    await ask('a.duckdb', folder);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const slow = ask('a.duckdb', end, 7_200_000);
      const innocent = ask('a.duckdb', folder, 1000);
      await vi.advanceTimersByTimeAsync(3_600_000);
      writeFileSync(end, '');
      expect(await slow).toEqual([end]);
      expect(await innocent).toEqual([folder]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is asked of the process that has its file open, if that is free', async () => {
    startProcesses('rows(process.pid);', 3);
    const files = ['a', 'b', 'c'].map((name) => `${name}.duckdb`);
    const both = (): Promise<unknown> => Promise.all(files.map((file) => ask(file)));
    const first = await both();
    files.reverse();
    expect(((await both()) as unknown[]).reverse()).toEqual(first);
  });

  it('is asked beside as many others as there are processes', async () => {
    const begun = (name: string): string => join(folder, name);
    startProcesses(
      `import('node:fs').then(({ writeFileSync }) => {
        writeFileSync(question.file, '');
        when(question.sql, () => rows());
      });`,
      3,
    );
    // Each waits until the next has begun.
    const asked = [1, 2, 3].map((number) => ask(begun(`${number}`), begun(`${(number % 3) + 1}`)));
    expect(await Promise.all(asked)).toEqual([[], [], []]);
    expect(existsSync(begun('3'))).toBe(true);
  });
});
