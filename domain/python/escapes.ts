import { escapeLikeCommands } from './latex-commands.js';
import { PythonSyntaxError, type PythonDialect } from './syntax.js';

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

interface StringBody {
  readonly bytes: boolean;
  readonly dialect: PythonDialect;
  /** Where the string begins in the whole text, for the error. */
  readonly start: number;
}

/**
 * An unknown escape keeps its backslash, as in Python. The lenient dialect knows fewer of them, so that LaTeX written
 * with single backslashes survives, and takes JSON's `\/` for `/`. Two surrogates written as escapes become one character.
 */
export function decodeEscapes(body: string, options: StringBody): string {
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
  { bytes, dialect, start }: StringBody,
): string {
  const [whole] = match;
  const { plain, control, slash, octal, byte, wide } = match.groups ?? {};
  const lenient = dialect === 'lenient';
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
  throw new PythonSyntaxError(
    whole === '\\N' ? 'characters cannot be given by name' : 'an escape is malformed',
    start,
  );
}

const word = /[a-zA-Z]{1,24}/y;

function isLatex(body: string, at: number): boolean {
  word.lastIndex = at;
  return escapeLikeCommands.has(word.exec(body)?.[0] ?? '');
}
