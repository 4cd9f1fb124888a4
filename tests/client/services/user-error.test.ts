import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { isYes } from '../../../client/services/user-error.js';

it.each([
  ['y\n', true],
  [' YES \nno\n', true],
  ['n\n', false],
  ['\n', false],
  ['yesterday\n', false],
  ['', false],
])('takes %j for %s', async (typed, expected) => {
  const input = new PassThrough();
  const output = new PassThrough();
  input.end(typed);
  expect(await isYes('Start?', input, output)).toBe(expected);
  output.end();
  expect((await text(output)).trimEnd()).toBe('Start? [y/N]');
});
