import { afterEach, expect, it, vi } from 'vitest';
import {
  beQuiet,
  isQuiet,
  note,
  print,
  printError,
  printJson,
  tell,
  visibleWriter,
  warn,
} from '../../../client/services/tell.js';

afterEach(() => void vi.restoreAllMocks());

/** Clears the screen, names a window, goes back on the line, turns the rest of it round. */
const hostile = '\u001b[2J\u001b]0;owned\u0007a\rb\u009b31m\u202Egnp.exe';
const harmless = '[U+001B][2J[U+001B]]0;owned[U+0007]a[U+000D]b[U+009B]31m[U+202E]gnp.exe';

it('prints what models and papers say so that no terminal obeys it', () => {
  const printed: string[] = [];
  const keep = (text: string): void => void printed.push(text);
  vi.spyOn(console, 'log').mockImplementation(keep);
  vi.spyOn(console, 'error').mockImplementation(keep);
  for (const each of [print, note, warn, printError, tell]) each(hostile);
  const { write } = visibleWriter({ write: keep } as unknown as NodeJS.WritableStream);
  write(hostile);
  expect(printed).toEqual(Array.from({ length: 6 }, () => harmless));
});

it('prints JSON that says the same without such characters', () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  printJson({ answer: hostile });
  const [[text]] = printed.mock.calls as [[string]];
  expect(JSON.parse(text)).toEqual({ answer: hostile });
  // eslint-disable-next-line no-control-regex -- they are looked for
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});

it('tells what goes on until it is asked to be quiet', () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  tell('starting');
  beQuiet();
  tell('probing');
  expect(printed.mock.calls).toEqual([['starting']]);
  expect(isQuiet()).toBe(true);
});
