import { expect, it } from 'vitest';
import { errorText } from '../../plugins/plugin-threads.js';

const code = '/cache/mine/plugin.mjs';

const stackOf = (...frames: readonly string[]): string =>
  ['Error: no such term', ...frames.map((frame) => `    at ${frame}`)].join('\n');

it.each([
  ['a function', 'score (/cache/mine/mine.ts:12:7)'],
  ['a module', 'file:///cache/mine/mine.ts:12:7'],
  ['a call that was awaited', 'async /cache/mine/mine.ts:12:7'],
])('names the line of the user in %s, below the frames of others', (_, frame) => {
  const others = [
    'process.processTicksAndRejections (node:internal/process/task_queues:104:5)',
    `own (${code}:1:1)`,
    'deep (/cache/mine/node_modules/deep/index.js:1:1)',
  ];
  const thrown = { message: 'no such term.', stack: stackOf(...others, frame) };
  expect(errorText(thrown, code, 'plugins/mine.ts')).toBe('plugins/mine.ts:12: no such term');
});

it('names the file where the stack has no line of the user', () => {
  const stack = stackOf('node:internal/process/task_queues:104:5', 'new Promise (<anonymous>)');
  expect(errorText({ message: '', stack }, code, 'mine.ts')).toBe(
    'mine.ts: an error without a text',
  );
});
