import { PythonSyntaxError, type PythonDialect } from './syntax.js';

/** As deep as Python itself goes. */
export const maxDepth = 200;

/** A place in a Python text, moved by those who read it. Its methods throw PythonSyntaxError. */
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

  /** Passes what the sticky `pattern` matches here and returns it: '' where it matches nothing. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  takeName(): string {
    return this.take(/[\p{L}_][\p{L}\p{N}_]*/uy);
  }

  /** Passes blanks, and between brackets line breaks and comments too. */
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

  /** From the bracket here past its `close`, with `readItem` for each part between commas. Returns whether there was a comma. */
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

  /** For whatever stands here and should not. */
  unexpected(): PythonSyntaxError {
    if (this.ended) return this.error('the text ends too early');
    const char = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
    return this.error(`unexpected ${JSON.stringify(char)}`);
  }

  error(reason: string, offset = this.at): PythonSyntaxError {
    return new PythonSyntaxError(reason, offset);
  }
}
