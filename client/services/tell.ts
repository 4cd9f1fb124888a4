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
