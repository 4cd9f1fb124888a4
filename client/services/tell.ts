import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { visibleJson, visibleText } from '../../domain/formats/text.js';

let quiet = false;

/** `--quiet`: nothing is told from now on. */
export function beQuiet(): void {
  quiet = true;
}

export const isQuiet = (): boolean => quiet;

// Nothing else in `client/` writes lines: what models, papers and databases say cannot steer a terminal.

/** Prints a result on stdout. @param isJson - whether the text is a JSON document */
export function print(text: string, isJson = false): void {
  console.log(isJson ? visibleJson(text) : visibleText(text));
}

/** How something is that is not as it should be: red or yellow. */
export const tones = ['bad', 'warning'] as const;
export type Tone = (typeof tones)[number];

/** A line of parts. */
export type Line = readonly { readonly text: string; readonly tone?: Tone | undefined }[];

/** Of lines that are printed. Infinity where the stream is no terminal. */
export const widthOf = ({ isTTY, columns }: WriteStream): number => (isTTY && columns) || Infinity;

/** Prints a result on stdout, or says on stderr what goes on, quiet or not. */
export function printLines(lines: readonly Line[], stream: WriteStream = process.stdout): void {
  const text = lines
    .map((line) => line.map(({ text, tone }) => coloured(tone, text, stream)).join(''))
    .join('\n');
  if (stream === process.stderr) console.error(text);
  else console.log(text);
}

/** Prints a result on stdout as one JSON document. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 1), true);
}

/** Prints what a command came to: as one JSON document, or in words. */
export function printResult(json: boolean | undefined, result: unknown, words: string): void {
  if (json) printJson(result);
  else print(words);
}

/** Says on stderr what goes on: progress and forecasts. */
export function tell(text: string): void {
  if (!quiet) note(text);
}

/** Says on stderr what has to be known, quiet or not. */
export function note(text: string): void {
  console.error(visibleText(text));
}

/** A note of what is not as it should be. */
export function warn(text: string): void {
  console.error(coloured('warning', text));
}

/** Why a command fails. */
export function printError(text: string): void {
  console.error(coloured('bad', text));
}

const colours = { bad: 'red', warning: 'yellow' } as const;

/** Visible text, coloured where the terminal has colours and the user has not declined them (NO_COLOR). */
function coloured(
  tone: Tone | undefined,
  text: string,
  stream: WriteStream = process.stderr,
): string {
  const visible = visibleText(text);
  return tone && stream.isTTY && stream.hasColors()
    ? styleText(colours[tone], visible, { validateStream: false })
    : visible;
}

/** Writes parts of lines to a stream, as visible text. */
export const visibleWriter = (
  stream: NodeJS.WritableStream,
): { readonly write: (text: string) => void } => ({
  write: (text) => void stream.write(visibleText(text)),
});
