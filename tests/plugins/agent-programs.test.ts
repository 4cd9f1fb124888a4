import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createAgentPrograms } from '../../plugins/agent-programs.js';
import type { AgentAsked } from '../../activities/ports/own-code.js';
import type { OwnFailed } from '../../domain/agent/plugin.js';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-agents-'));
const starts = join(folder, 'starts');
writeFileSync(starts, '');

/** Echoes each line under `told`, behind what `before` does with it. */
function agent(name: string, before = ''): string {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(
    file,
    `import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
appendFileSync(${JSON.stringify(starts)}, process.pid + '\\n');
let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  count += 1;
  const told = JSON.parse(line);
  ${before}
  process.stdout.write(JSON.stringify({ told }) + '\\n');
}`,
  );
  return `exec ${process.execPath} ${file}`;
}

const programs = createAgentPrograms();
afterAll(() => programs.close());
const { signal } = new AbortController();
const pids = (): readonly string[] => readFileSync(starts, 'utf8').trim().split('\n');

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** One turn after the other, as the activity asks; resolves to what each came to. */
function question(command: string, name = command) {
  const asked: string[] = [];
  return async (lines: readonly unknown[]): Promise<AgentAsked | OwnFailed> => {
    const call = { command, question: name, lines, timeoutMs: 20_000 };
    const outcome = await programs.callAgent(
      { ...call, asked: asked.slice(0, lines.length - 1) },
      signal,
    );
    if (outcome.kind === 'asked') asked[lines.length - 1] = outcome.sha256;
    return outcome;
  };
}

it('keeps one process a question', async () => {
  const before = pids().length;
  const ask = question(agent('echo'));
  expect(await ask(['a'])).toMatchObject({ kind: 'asked', value: { told: 'a' } });
  expect(await ask(['a', 'b'])).toMatchObject({ value: { told: 'b' } });
  expect(await ask(['a', 'b', 'c'])).toMatchObject({ value: { told: 'c' } });
  expect(pids().length - before).toBeLessThanOrEqual(1);
});

it('starts another one that is told all again, where it was killed, or a turn is asked again', async () => {
  const ask = question(agent('again'));
  await ask(['a']);
  await ask(['a', 'b']);
  process.kill(Number(pids().at(-1)), 'SIGKILL');
  await expect.poll(() => isAlive(Number(pids().at(-1)))).toBe(false);
  const started = pids().length;
  expect(await ask(['a', 'b', 'c'])).toMatchObject({ value: { told: 'c' } });
  expect(pids().length).toBe(started + 1);
  // An activity that was tried again.
  expect(await ask(['a', 'b', 'c'])).toMatchObject({ value: { told: 'c' } });
  expect(pids().length).toBe(started + 2);
});

it('leaves no process behind where a turn is asked for twice at the same time', async () => {
  const ask = question(agent('twice'));
  const before = pids().length;
  await Promise.all([ask(['a']), ask(['a'])]);
  const started = pids().slice(before).map(Number);
  expect(started).toHaveLength(2);
  await expect.poll(() => started.filter(isAlive)).toHaveLength(1);
});

it('refuses one that asks for something else when it is told the same', async () => {
  const ask = question(agent('clock', 'if (count === 2) told.pid = process.pid;'));
  await ask([{}]);
  await ask([{}, {}]);
  await ask([{}, {}, {}]);
  expect(await ask([{}, {}, {}])).toMatchObject({
    kind: 'failed',
    failure: 'nonsense',
    message: expect.stringContaining('It differs in line 2') as string,
  });
});

it.each([
  ['ends', 'process.exit(3)', 'crash', 'ended with status 3'],
  ['is killed', "process.kill(process.pid, 'SIGKILL')", 'killed', 'was killed'],
  ['writes no JSON', "process.stdout.write('hello\\n'); continue;", 'nonsense', 'printed hello'],
])('says that it %s', async (name, what, failure, message) => {
  expect(await question(agent(name.replaceAll(' ', '-'), what))(['a'])).toMatchObject({
    kind: 'failed',
    failure,
    message: expect.stringContaining(message) as string,
  });
});
