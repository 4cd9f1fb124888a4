import { decodeEscapes } from './escapes.js';
import { PythonSyntaxError, type PythonDialect } from './syntax.js';

/** One string token; adjacent ones are joined by the caller. */
export interface PythonString {
  readonly kind: 'str' | 'bytes';
  readonly value: string;
  readonly end: number;
}

const opening = /([bB][rR]?|[rR][bB]?|[uU])?('''|"""|['"])/y;

/** Reads the string token at `start`; null where none begins. */
export function readString(
  text: string,
  start: number,
  dialect: PythonDialect,
): PythonString | null {
  opening.lastIndex = start;
  const [token = '', prefix = '', quote] = opening.exec(text) ?? [];
  if (quote === undefined) return dialect === 'lenient' ? readCurly(text, start) : null;
  const flags = prefix.toLowerCase();
  const from = start + token.length;
  const end = closingQuote(text, { start, from, quote, dialect });
  const body = text.slice(from, end).replace(/\r\n?/g, '\n');
  if (dialect === 'python' && body.includes('\0')) {
    throw new PythonSyntaxError('a string holds a null character', start);
  }
  const bytes = flags.includes('b');
  if (bytes && /[^\0-\x7f]/.test(body)) {
    throw new PythonSyntaxError('bytes hold ASCII characters only', start);
  }
  const value = flags.includes('r') ? body : decodeEscapes(body, { bytes, dialect, start });
  return { kind: bytes ? 'bytes' : 'str', value, end: end + quote.length };
}

interface OpenString {
  readonly start: number;
  /** Behind the opening quote. */
  readonly from: number;
  readonly quote: string;
  readonly dialect: PythonDialect;
}

function closingQuote(text: string, { start, from, quote, dialect }: OpenString): number {
  const oneLine = quote.length === 1 && dialect === 'python';
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at += text.startsWith('\r\n', at + 1) ? 2 : 1;
    else if (oneLine && (char === '\n' || char === '\r')) break;
    else if (text.startsWith(quote, at)) return at;
  }
  throw new PythonSyntaxError('a string is not closed', start);
}

const curlyDouble = '[\u201c-\u201f]';
const curlySingle = '[\u2018-\u201b]';
const curlyOpening = new RegExp(`(?<double>${curlyDouble})|${curlySingle}`, 'y');

/** A single curly quote may be an apostrophe: only one before `,`, `:`, a closing bracket or the end closes the string. */
function readCurly(text: string, start: number): PythonString | null {
  curlyOpening.lastIndex = start;
  const open = curlyOpening.exec(text);
  if (!open) return null;
  const closing = new RegExp(
    open.groups?.['double'] === undefined
      ? `${curlySingle}(?=\\s{0,99}(?:[,:)\\]}]|$))`
      : curlyDouble,
    'g',
  );
  closing.lastIndex = start + 1;
  const end = closing.exec(text)?.index;
  if (end === undefined) throw new PythonSyntaxError('a string is not closed', start);
  const body = { bytes: false, dialect: 'lenient', start } as const;
  return { kind: 'str', value: decodeEscapes(text.slice(start + 1, end), body), end: end + 1 };
}
