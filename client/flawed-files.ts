import { UserError } from './user-error.js';

/** Where a file is wrong, a sentence for each place. */
export interface FlawedFile {
  readonly file: string;
  readonly problems: readonly string[];
}

/** As many show what is wrong. */
const shown = 20;

/** Names the flaws of files that somebody gave, a line each. */
export function flawedFiles(files: readonly FlawedFile[]): UserError {
  const flaws = files.flatMap(({ file, problems }) =>
    problems.map((problem) => `${file}: ${problem}`),
  );
  const more = flaws.length - shown;
  return new UserError(
    [...flaws.slice(0, shown), ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
  );
}
