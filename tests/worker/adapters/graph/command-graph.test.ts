import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { GraphAnswer } from '../../../../activities/ports/tools.js';
import { PortFailure } from '../../../../activities/ports/port-failure.js';
import { storeNameSchema } from '../../../../domain/ids.js';
import { createCommandGraph } from '../../../../worker/adapters/graph/command-graph.js';
import { secretsOfEnvironment } from '../../../../worker/adapters/model-apis/endpoint.js';
import { eventually } from '../../../support/command-line.js';
import { compiledEntry } from '../../../support/commands/compiled-entry.js';
import { graphCommand, hangingGraphCommand } from '../../../support/fakes/graph-command.js';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-graph-'));
afterAll(() => rmSync(folder, { recursive: true }));

const store = storeNameSchema.parse('papers');
const key = 'graph-key-0123456789abcdef';
process.env['GRAPH_API_KEY'] = key;

interface Asking {
  readonly query?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

function ask(command: string | undefined, asking: Asking = {}): Promise<GraphAnswer> {
  const { query = 'Why?', timeoutMs = 20_000, signal = new AbortController().signal } = asking;
  const secrets = secretsOfEnvironment(process.env);
  return createCommandGraph({ command, secrets }).query({ store, query, timeoutMs }, signal);
}

/** Type and message of what a query ends with. */
async function failureOf(asked: Promise<GraphAnswer>): Promise<readonly string[]> {
  const error: unknown = await asked.then(
    () => new Error('it was answered'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof PortFailure)) throw error;
  return [error.type, error.message];
}

const pidsIn = (file: string): Promise<readonly number[]> =>
  eventually(() => {
    try {
      const text = readFileSync(file, 'utf8');
      return text.endsWith('\n') ? text.trim().split(' ').map(Number) : null;
    } catch {
      return null;
    }
  });

const areGone = (pids: readonly number[]): Promise<true> =>
  eventually(() => (pids.every((pid) => !isThere(pid)) ? true : null));

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A killed orphan stays on the list until somebody has asked how it ended.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a graph behind a command', () => {
  it('is told query and store, and believed about its cost', async () => {
    expect(await ask(graphCommand('echo'), { query: 'Wer backt "Brot"?\n大小' })).toEqual({
      answer: 'asked papers: Wer backt "Brot"?\n大小',
      costUsd: 0.25,
    });
  });

  it('need not read what it is told, and may be told much', async () => {
    expect(await ask(graphCommand('deaf'), { query: 'x'.repeat(2_000_000) })).toEqual({
      answer: 'not listening',
      costUsd: null,
    });
  });

  it.each([
    [
      'exits with 1',
      'fail',
      'GraphProgramFailed',
      'ended with status 1: "no index for the papers"',
    ],
    ['tells a secret', 'tell-secret', 'GraphProgramFailed', 'ended with status 1'],
    [
      'is a Python program that raises',
      'traceback',
      'GraphProgramFailed',
      'ended with status 1: "ValueError: no index"',
    ],
    [
      'asks for patience',
      'try-again',
      'GraphProgramUnavailable',
      'asks to be tried again (status 75: "rate limited")',
    ],
    ['is killed', 'die', 'GraphProgramUnavailable', 'was ended by SIGKILL'],
    [
      'prints too much',
      'flood',
      'GraphProgramFailed',
      'printed more than 1 MB: it is to print one JSON object',
    ],
  ])('fails where it %s', async (_, mode, type, what) => {
    expect(await failureOf(ask(graphCommand(mode)))).toEqual([
      type,
      `The program for graph queries ${what}.`,
    ]);
  });

  it.each(['rubbish', 'no-answer', 'bad-cost'])('fails where it prints %s', async (mode) => {
    expect(await failureOf(ask(graphCommand(mode)))).toEqual([
      'GraphProgramFailed',
      expect.stringContaining('printed something else than a JSON object with an "answer"'),
    ]);
  });

  it('is ended when it takes too long, with all that it has started', async () => {
    const file = join(folder, 'late');
    const asked = failureOf(ask(hangingGraphCommand(file), { timeoutMs: 2_000 }));
    const pids = await pidsIn(file);
    expect(await asked).toEqual([
      'GraphProgramFailed',
      'The program for graph queries did not answer within 2 seconds: mend it, or give it longer with --model-timeout.',
    ]);
    expect(await areGone(pids)).toBe(true);
  });

  it('is ended when it is no longer wanted, with all that it has started', async () => {
    const file = join(folder, 'cancelled');
    const cancellation = new AbortController();
    const asked = ask(hangingGraphCommand(file), { signal: cancellation.signal });
    const pids = await pidsIn(file);
    cancellation.abort(new Error('no longer wanted'));
    await expect(asked).rejects.toThrow('no longer wanted');
    expect(await areGone(pids)).toBe(true);
    await expect(ask('exit 1', { signal: cancellation.signal })).rejects.toThrow(
      'no longer wanted',
    );
  });

  it('is ended in time even where its worker is no more', async () => {
    const compiled = compiledEntry('worker/adapters/graph/run-program.ts');
    const file = join(folder, 'orphaned');
    const request = { command: hangingGraphCommand(file), stdin: '', timeoutMs: 2_000 };
    const worker = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `const { runProgram } = await import(${JSON.stringify(compiled.entry)});
       await runProgram(${JSON.stringify(request)}, new AbortController().signal);`,
    ]);
    const pids = await pidsIn(file);
    worker.kill('SIGKILL');
    expect(await areGone(pids)).toBe(true);
    compiled.remove();
  });

  it('leaves nothing behind that it has started', async () => {
    const file = join(folder, 'left');
    expect(await ask(graphCommand('leave-child', file))).toMatchObject({ answer: 'left one' });
    expect(await areGone(await pidsIn(file))).toBe(true);
  });

  it.each([
    ['is not there', 'turnwise-no-such-program', 127],
    ['may not be executed', '/etc/passwd', 126],
  ])('is missing where it %s', async (_, command, status) => {
    const [type, message] = await failureOf(ask(command));
    expect(type).toBe('GraphProgramMissing');
    expect(message).toMatch(
      new RegExp(
        `^The program for graph queries cannot be started \\(status ${status}: ".*"\\): check TURNWISE_GRAPHRAG_COMMAND\\.$`,
      ),
    );
  });

  it('is missing where none is set', async () => {
    expect(await failureOf(ask(undefined))).toEqual([
      'GraphProgramMissing',
      'This worker has no program for graph queries: start it with TURNWISE_GRAPHRAG_COMMAND set.',
    ]);
  });
});

it('takes for secrets what is named like one, and long enough to be one', () => {
  const env = { OPENAI_API_KEY: 'sk-123456', HOME: '/home/somebody', MY_TOKEN: '1', PASSWORD: '' };
  expect(secretsOfEnvironment(env)).toEqual(['sk-123456']);
});
