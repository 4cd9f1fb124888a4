import { writeFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { pluginsUnderTest } from './plugins-under-test.js';

const mine = pluginsUnderTest({ secrets: ['sk-secret'] });
afterAll(mine.close);

const plugin = `import { defineAction, defineScorer } from 'turnwise';
let calls = 0;
type Given = { readonly what: string };
export const act = defineAction({
  name: 'Act',
  description: 'Acts.',
  parameters: { what: { type: 'string', description: 'What.' } },
  run: async ({ what }: Given, { signal, turn }) => {
    calls += 1;
    switch (what) {
      case 'count': return { calls, turn };
      case 'throw': throw new Error('no such\\nterm');
      case 'secret': throw new Error('the key is sk-secret');
      case 'text': throw 'a text';
      case 'nothing': return undefined;
      case 'function': return () => 1;
      case 'loop': for (;;);
      case 'exit': process.exit(1);
      case 'reject': void Promise.reject(new Error('nobody waits')); return 'fine';
      default: return await new Promise((_, fail) => signal.addEventListener('abort', () => fail(new Error('aborted'))));
    }
  },
});
export const s = defineScorer({ name: 's', score: ({ answer }) => (answer === 'a' ? 1 : 0) });
`;
const loaded = mine.load(plugin);
const act = async (what: string, more = {}, signal?: AbortSignal) =>
  mine.call(await loaded, { what: 'action', name: 'Act', input: { what }, ...more }, signal);

it('keeps the state of a module between calls, and gives what a function returns', async () => {
  await act('count');
  expect(await act('count', { context: { turn: 4 } })).toEqual({
    kind: 'returned',
    value: { calls: 2, turn: 4 },
  });
  expect(
    await mine.call(await loaded, { what: 'scorer', name: 's', input: { answer: 'a' } }),
  ).toEqual({ kind: 'returned', value: 1 });
});

it.each([
  ['throw', 'threw', /mine\.ts:12: no such$/],
  ['text', 'threw', /mine\.ts: a text$/],
  ['secret', 'threw', /^its message contains a key, and is left out$/],
  ['nothing', 'nonsense', /the action Act returned undefined, which JSON does not have$/],
  ['function', 'nonsense', /the action Act returned function/],
])('says of %s, in one sentence, what went wrong', async (what, failure, message) => {
  expect(await act(what)).toEqual({
    kind: 'failed',
    failure,
    message: expect.stringMatching(message) as string,
  });
});

it('goes on after a promise that nobody waits for', async () => {
  expect(await act('reject')).toEqual({ kind: 'returned', value: 'fine' });
  expect(await act('count')).toMatchObject({ kind: 'returned' });
});

it('gives up a call that is late, and tells its signal', async () => {
  expect(await act('wait', { timeoutMs: 20 })).toMatchObject({
    failure: 'timeout',
    message: expect.stringMatching(
      /mine\.ts: the action Act took more than 0\.02 seconds$/,
    ) as string,
  });
});

it('rejects with the reason of a signal that aborts', async () => {
  const controller = new AbortController();
  const waiting = act('wait', {}, controller.signal);
  controller.abort(new Error('cancelled'));
  await expect(waiting).rejects.toThrow('cancelled');
  await expect(act('count', {}, controller.signal)).rejects.toThrow('cancelled');
});

it('ends a thread that computes for ever, and starts another', async () => {
  expect(await act('loop', { timeoutMs: 50 })).toMatchObject({ failure: 'timeout' });
  // While it is blocked, a call ends with it, and can be made again.
  await expect(act('count')).rejects.toMatchObject({ type: 'PluginStopped' });
  expect(await act('count')).toEqual({ kind: 'returned', value: { calls: 1 } });
});

it('lets a call be made again whose thread has ended', async () => {
  await expect(act('exit')).rejects.toMatchObject({ type: 'PluginStopped' });
  expect(await act('count')).toMatchObject({ kind: 'returned' });
});

it('refuses code that is missing, or is not what the run began with', async () => {
  const { plugin: known } = await loaded;
  const other = { ...known, sha256: '0'.repeat(64) };
  await expect(
    mine.call({ plugin: other, code: 'export {}' }, { what: 'action', name: 'Act' }),
  ).rejects.toMatchObject({
    type: 'PluginMissing',
    message: expect.stringContaining('other code') as string,
  });
  await expect(
    mine.ownCode.callPlugin(
      {
        plugin: other,
        code: () => Promise.resolve(null),
        what: 'action',
        name: 'Act',
        input: {},
        context: {},
        timeoutMs: 1,
      },
      new AbortController().signal,
    ),
  ).rejects.toMatchObject({
    type: 'PluginMissing',
    message: expect.stringContaining('is not in') as string,
  });
});

it('needs the file of the user no longer once it is loaded', async () => {
  const again = await mine.load(`${plugin}// another\n`, 'gone.ts');
  writeFileSync(again.plugin.path, 'broken');
  expect(
    await mine.call(again, { what: 'action', name: 'Act', input: { what: 'count' } }),
  ).toMatchObject({ kind: 'returned' });
});
