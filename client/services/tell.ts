let quiet = false;

/** `--quiet`: nothing is told from now on. */
export function beQuiet(): void {
  quiet = true;
}

export const isQuiet = (): boolean => quiet;

/** Says on stderr what goes on: progress and forecasts. Warnings and errors are printed whatever was asked for. */
export function tell(text: string): void {
  if (!quiet) console.error(text);
}

/** Prints what a command came to: as one JSON document, or in words. */
export const printResult = (json: boolean | undefined, result: unknown, words: string): void => {
  console.log(json ? JSON.stringify(result, null, 1) : words);
};
