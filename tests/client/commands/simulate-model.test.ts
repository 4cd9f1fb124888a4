import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CommandLine } from '../../../client/commands/shared/command-line.js';
import { registerSimulateModel } from '../../../client/commands/simulate-model.js';
import { exitStatus } from '../../../domain/user-error.js';

const run = (...flags: readonly string[]): Promise<unknown> => {
  const program = new CommandLine('turnwise');
  registerSimulateModel(program);
  const [command] = program.commands;
  command?.exitOverride().configureOutput({ writeErr: () => undefined });
  return program.parseAsync(['simulate-model', ...flags], { from: 'user' });
};

afterEach(() => vi.restoreAllMocks());

describe('turnwise simulate-model', () => {
  it('prints its address, answers there with what the flags ask for, and stops on a signal', async () => {
    const printed = vi.spyOn(console, 'log').mockReturnValue();
    const done = run(
      '--generated-turns',
      '1',
      '--fault',
      '500=0',
      '--fault',
      '503=0',
      '--quiet',
      '--seed',
      '4',
      '--limit-change',
      '60=0.5',
      '--limit-change',
      '120=1',
    );
    await vi.waitUntil(() => printed.mock.calls.length === 4, { timeout: 60_000 });
    const text = printed.mock.calls.flat().join('\n');
    expect(text).toContain('no language model is asked');
    const url = /http:\S+\/v1/.exec(text)?.[0] ?? '';
    const reply = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'm',
        messages: [{ role: 'user', content: '[Question]: Why?\n[Answer Format]: x' }],
      }),
    });
    expect(await reply.text()).toContain('Step 1 of 1');
    process.emit('SIGTERM');
    await done;
    await expect(fetch(url)).rejects.toThrow();
  });

  it('says in one sentence that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    // A server that listens on a port has an AddressInfo.
    const { port } = other.address() as AddressInfo;
    await expect(run('--port', String(port))).rejects.toMatchObject({
      message: `The simulated model cannot listen (listen EADDRINUSE: address already in use 127.0.0.1:${port}): choose another --port or --host.`,
      status: exitStatus.serviceUnreachable,
    });
    other.close();
  });

  it('says in one sentence that there is no such script', async () => {
    await expect(run('--script', 'nowhere.json')).rejects.toMatchObject({
      message: 'nowhere.json cannot be read: there is no such file',
      status: exitStatus.badInput,
    });
  });

  it.each([
    ['a port that is none', ['--port', '70000']],
    ['a rate that is no number', ['--requests-per-minute', 'many']],
    ['a change of limits without a factor', ['--limit-change', '150']],
    ['a limit of a kind there is not', ['--limit-kind', 'hour']],
    ['an unknown fault', ['--fault', 'flood=0.1']],
    ['a fault without a share', ['--fault', '500']],
    ['shares above one', ['--fault', '500=0.7', '--fault', '503=0.7']],
  ])('refuses %s', async (_, flags) => {
    await expect(run(...flags)).rejects.toMatchObject({ code: 'commander.invalidArgument' });
  });
});
