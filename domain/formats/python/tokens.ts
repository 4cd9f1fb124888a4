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

/** A string token. The caller joins adjacent tokens. */
interface StringToken {
  readonly kind: 'str' | 'bytes';
  readonly value: string;
}

const opening = /(?:[bB][rR]?|[rR][bB]?|[uU])?(?:'''|"""|['"])/y;

/** Consumes the string token at the cursor; null if there is none. */
export function takeString(cursor: PythonCursor): StringToken | null {
  const start = cursor.at;
  const token = cursor.take(opening);
  if (token === '') return cursor.dialect === 'lenient' ? takeCurlyString(cursor) : null;
  const [prefix = ''] = /^[a-z]*/.exec(token.toLowerCase()) ?? [];
  const body = takeBody(cursor, start, token.slice(prefix.length)).replace(/\r\n?/g, '\n');
  if (cursor.dialect === 'python' && body.includes('\0')) {
    throw cursor.error('a string holds a null character', start);
  }
  const bytes = prefix.includes('b');
  if (bytes && /[^\0-\x7f]/.test(body)) {
    throw cursor.error('bytes hold ASCII characters only', start);
  }
  const value = prefix.includes('r') ? body : decodeEscapes(body, { bytes, cursor, start });
  return { kind: bytes ? 'bytes' : 'str', value };
}

/** Consumes the text up to and including the closing quote; returns the text before the quote. */
function takeBody(cursor: PythonCursor, start: number, quote: string): string {
  const { text, at: from } = cursor;
  const oneLine = quote.length === 1 && cursor.dialect === 'python';
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at += text.startsWith('\r\n', at + 1) ? 2 : 1;
    else if (oneLine && (char === '\n' || char === '\r')) break;
    else if (text.startsWith(quote, at)) {
      cursor.at = at + quote.length;
      return text.slice(from, at);
    }
  }
  throw cursor.error('a string is not closed', start);
}

const curlyDouble = '[\u201c-\u201f]';
const curlySingle = '[\u2018-\u201b]';
const curlyOpening = new RegExp(`${curlyDouble}|${curlySingle}`, 'y');
const curlyDoubleClosing = new RegExp(curlyDouble, 'g');
/** A single curly quote may be an apostrophe: it closes a string only before `,`, `:`, a closing bracket or the end. */
const curlySingleClosing = new RegExp(`${curlySingle}(?=\\s{0,99}(?:[,:)\\]}]|$))`, 'g');

function takeCurlyString(cursor: PythonCursor): StringToken | null {
  const start = cursor.at;
  const quote = cursor.take(curlyOpening);
  if (quote === '') return null;
  const closing = quote >= '\u201c' ? curlyDoubleClosing : curlySingleClosing;
  closing.lastIndex = cursor.at;
  const end = closing.exec(cursor.text)?.index;
  if (end === undefined) throw cursor.error('a string is not closed', start);
  const body = cursor.text.slice(cursor.at, end);
  cursor.at = end + 1;
  return { kind: 'str', value: decodeEscapes(body, { bytes: false, cursor, start }) };
}

interface StringBody {
  readonly bytes: boolean;
  readonly cursor: PythonCursor;
  /** Position of the string, for error messages. */
  readonly start: number;
}

const escapes =
  /\\(?:(?<plain>[\n\\'"nrt])|(?<control>[abfv])|(?<slash>\/)|(?<octal>[0-7]{1,3})|x(?<byte>[\da-fA-F]{2})|(?:u(?=[\da-fA-F]{4})|U(?=[\da-fA-F]{8}))(?<wide>(?<=u).{4}|(?<=U).{8})|[xuUN])/g;

const decoded: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

/**
 * Decodes escapes. An unknown escape keeps its backslash, as in Python. The lenient dialect decodes fewer escapes, so that
 * LaTeX with single backslashes is kept, and reads JSON's `\/` as `/`. An escaped surrogate pair becomes one character.
 */
function decodeEscapes(body: string, options: StringBody): string {
  let text = '';
  let done = 0;
  for (const match of body.matchAll(escapes)) {
    text += body.slice(done, match.index) + decodeOne(match, body, options);
    done = match.index + match[0].length;
  }
  return text + body.slice(done);
}

function decodeOne(
  match: RegExpExecArray,
  body: string,
  { bytes, cursor, start }: StringBody,
): string {
  const [whole] = match;
  const { plain, control, slash, octal, byte, wide } = match.groups ?? {};
  const lenient = cursor.dialect === 'lenient';
  if (plain !== undefined) {
    return lenient && isLatex(body, match.index + 1) ? whole : (decoded[plain] ?? whole);
  }
  if (slash !== undefined) return lenient ? slash : whole;
  if (byte !== undefined) return String.fromCharCode(parseInt(byte, 16));
  if (bytes && /^\\[uUN]/.test(whole)) return whole;
  const code = wide === undefined ? NaN : parseInt(wide, 16);
  if (code <= 0x10ffff) return String.fromCodePoint(code);
  if (lenient) return whole;
  if (control !== undefined) return decoded[control] ?? whole;
  if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & (bytes ? 0xff : 0x1ff));
  throw cursor.error(
    whole === '\\N' ? 'characters cannot be given by name' : 'an escape is malformed',
    start,
  );
}

/**
 * LaTeX commands that begin like `\n`, `\r` or `\t`. They are kept, because an escape followed by exactly these letters is
 * rare. `\ne`, `\ni` and `\to` are not listed, because the escape is common there.
 */
const latexCommands: ReadonlySet<string> = new Set(
  [
    'nabla natural nearrow neg neq newline nexists ngeq nleq nmid not notin nparallel nsubseteq nu nwarrow',
    'rangle rbrace rceil renewcommand rfloor rho right rightarrow rightharpoonup rm rtimes',
    'tan tanh tau text textbf textcolor textit textrm textsc textstyle texttt tfrac theta therefore tilde times top triangle twoheadrightarrow',
  ].flatMap((line) => line.split(' ')),
);

const word = /[a-zA-Z]{1,24}/y;

function isLatex(body: string, at: number): boolean {
  word.lastIndex = at;
  return latexCommands.has(word.exec(body)?.[0] ?? '');
}
