/**
 * Which Python a reader accepts. `python` is the language's own literal grammar. `lenient` also takes what models write
 * beside it: raw line breaks in quotes, curly quotes, `true`, `false`, `null`, `nan` and `inf`, and backslashes
 * that were meant for LaTeX.
 */
export type PythonDialect = 'python' | 'lenient';

/** Thrown inside the readers; their entry points turn it into a value. `offset` counts UTF-16 units from the start of the text. */
export class PythonSyntaxError extends Error {
  constructor(
    reason: string,
    readonly offset: number,
  ) {
    super(reason);
  }
}
