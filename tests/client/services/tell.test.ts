import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import {
  beQuiet,
  isQuiet,
  note,
  print,
  printError,
  printJson,
  printLines,
  tell,
  visibleWriter,
  widthOf,
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

it('colours what is not as it should be, on a terminal with colours', () => {
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
  const lines = [[{ text: 'a-run  ' }, { text: hostile, tone: 'bad' as const }]];
  const { stdout } = process;
  const { isTTY, columns } = stdout;
  onTestFinished(() => {
    Object.assign(stdout, { isTTY, columns });
    Reflect.deleteProperty(stdout, 'hasColors');
  });
  const widths: number[] = [];
  const printOn = (terminal: object): void => {
    Object.assign(stdout, terminal);
    widths.push(widthOf(stdout));
    printLines(lines);
  };
  printOn({ isTTY: false });
  printOn({ isTTY: true, columns: 60, hasColors: () => false });
  printOn({ isTTY: true, columns: 60, hasColors: () => true });
  const plain = `a-run  ${harmless}`;
  expect(printed).toEqual([plain, plain, `a-run  \u001b[31m${harmless}\u001b[39m`]);
  expect(widths).toEqual([Infinity, 60, 60]);
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
