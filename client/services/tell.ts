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
  console.error(coloured('yellow', visibleText(text)));
}

/** Why a command fails. */
export function printError(text: string): void {
  console.error(coloured('red', visibleText(text)));
}

/** Where the terminal has colours and the user has not declined them (NO_COLOR). */
function coloured(colour: 'red' | 'yellow', text: string): string {
  const { stderr } = process;
  return stderr.isTTY && stderr.hasColors() ? styleText(colour, text) : text;
}

/** Writes parts of lines to a stream, as visible text. */
export const visibleWriter = (
  stream: NodeJS.WritableStream,
): { readonly write: (text: string) => void } => ({
  write: (text) => void stream.write(visibleText(text)),
});
