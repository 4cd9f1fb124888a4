import type { PythonValue } from './value.js';

/**
 * The grammar of literals. `python` is Python's own. `lenient` also accepts common variants in replies of models: line breaks
 * inside quotes, curly quotes, `true`, `false`, `null`, `nan`, `inf`, and LaTeX with single backslashes.
 */
export type PythonDialect = 'python' | 'lenient';

/** Thrown inside the parsers only: their entry points return the error. `offset` counts UTF-16 units from the start. */
export class PythonSyntaxError extends Error {
  constructor(
    reason: string,
    readonly offset: number,
  ) {
    super(reason);
  }
}

/** CPython's limit on nested brackets. */
export const maxDepth = 200;

/** A position in a Python text. The parsers move it forward. Methods throw PythonSyntaxError. */
export class PythonCursor {
  private depth = 0;

  constructor(
    readonly text: string,
    /** UTF-16 units from the start of the text. */
    public at: number,
    readonly dialect: PythonDialect,
  ) {}

  get ended(): boolean {
    return this.at >= this.text.length;
  }

  nextIs(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  /** Consumes and returns the match of the sticky `pattern` at the cursor; '' without a match. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  takeName(): string {
    return this.take(/[\p{L}_][\p{L}\p{N}_]*/uy);
  }

  /** Skips white space; inside brackets also line breaks and comments. */
  skipBlanks(): void {
    if (this.depth > 0) this.skipLines();
    else this.take(/(?:[ \t\f]+|\\\r?\n)*/y);
  }

  skipLines(): void {
    this.take(
      this.dialect === 'lenient'
        ? /(?:\s+|\\\n|#[^\n]*)*/y
        : /(?:[ \t\f\n\r]+|\\\r?\n|#[^\n\r]*)*/y,
    );
  }

  /** Consumes a bracketed list up to and including `close`; calls `readItem` for each item. Returns whether it has a comma. */
  brackets(close: string, readItem: () => void): boolean {
    if (++this.depth > maxDepth) throw this.error('brackets are nested too deeply');
    let comma = false;
    do {
      this.at += 1;
      this.skipLines();
      if (this.nextIs(close)) break;
      readItem();
      this.skipLines();
      comma ||= this.nextIs(',');
    } while (this.nextIs(','));
    if (!this.nextIs(close)) throw this.unexpected();
    this.at += 1;
    this.depth -= 1;
    return comma;
  }

  /** The error for a character that may not stand at the cursor. */
  unexpected(): PythonSyntaxError {
    if (this.ended) return this.error('the text ends too early');
    const char = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
    return this.error(`unexpected ${JSON.stringify(char)}`);
  }

  error(reason: string, offset = this.at): PythonSyntaxError {
    return new PythonSyntaxError(reason, offset);
  }
}

/** CPython's own limit on the digits of an int; it also bounds the time of a conversion. */
const maxDigits = 4300;

const prefixedInteger = /0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+/y;
const decimal = /(?:\d(?:_?\d)*)?(?:\.(?:\d(?:_?\d)*)?)?(?:[eE][+-]?\d(?:_?\d)*)?[jJ]?/y;

/** Consumes an unsigned number. The cursor must be at a digit, or at a point followed by a digit. */
export function takeNumber(cursor: PythonCursor): PythonValue {
  const start = cursor.at;
  const prefixed = cursor.take(prefixedInteger);
  const value =
    prefixed === ''
      ? decimalValue(cursor, start, cursor.take(decimal))
      : intValue(cursor, start, prefixed);
  if (/[\p{L}\p{N}_]/u.test(cursor.text.charAt(cursor.at))) {
    throw cursor.error('a number is followed by a letter or digit');
  }
  return value;
}

function decimalValue(cursor: PythonCursor, start: number, token: string): PythonValue {
  const size = Number(token.replace(/_|[jJ]$/g, ''));
  if (/[jJ]$/.test(token)) return { kind: 'complex', real: 0, imaginary: size };
  if (/[.eE]/.test(token)) return { kind: 'float', value: size };
  if (/^0[\d_]*[1-9]/.test(token)) {
    throw cursor.error('a decimal number cannot begin with 0', start);
  }
  return intValue(cursor, start, token);
}

/** @param start - position of the token, for error messages */
export function intValue(cursor: PythonCursor, start: number, token: string): PythonValue {
  if (token.length > maxDigits) {
    throw cursor.error(`a number has more than ${maxDigits} digits`, start);
  }
  return { kind: 'int', value: BigInt(token.replaceAll('_', '')) };
}
