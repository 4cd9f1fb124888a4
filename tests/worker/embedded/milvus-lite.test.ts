import { expect, it } from 'vitest';
import { logMeaning } from '../../../worker/embedded/milvus-lite.js';

it.each([
  ['listen tcp 127.0.0.1:7233: bind: address already in use', 'another program took its port'],
  ['started\nError: database is locked (5)\nbye', 'another process has its database open'],
  ['write /x: no space left on device', 'the disk is full'],
  ["ModuleNotFoundError: No module named 'milvus_lite'", 'its Python packages are incomplete'],
  ['fine\nError: something new\nstopping', 'it said “Error: something new”'],
  ['only a greeting\n', 'it said “only a greeting”'],
])('reads “%s”', (tail, expected) => {
  expect(logMeaning(tail)).toContain(expected);
});

it('says nothing about a silent log', () => {
  expect(logMeaning('\n \n')).toBeUndefined();
});
