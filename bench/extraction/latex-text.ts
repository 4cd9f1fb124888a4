import { accents, replacing, silent, symbols, transparent } from './latex-commands.js';
import { gap } from './truth.js';

/** Finds the end of the group that opens at `start`, which is the index of `open`. The length of the source where none closes it. */
export function groupEnd(source: string, start: number, open = '{', close = '}'): number {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    const sign = source[at];
    if (sign === '\\') at += 1;
    else if (sign === open) depth += 1;
    else if (sign === close) {
      depth -= 1;
      if (depth === 0) return at;
    } else if (sign === '{' && open !== '{') at = groupEnd(source, at);
  }
  return source.length;
}

interface Argument {
  readonly text: string;
  /** After it. */
  readonly end: number;
}

/** The argument in braces at `start`, or a single sign or command without braces. */
export function readArgument(source: string, start: number): Argument {
  const from = skipSpace(source, start);
  if (source[from] === '{') {
    const end = groupEnd(source, from);
    return { text: source.slice(from + 1, end), end: end + 1 };
  }
  const [single = ''] = /^(?:\\[a-zA-Z]+|\\.|[^\\])/s.exec(source.slice(from, from + 40)) ?? [];
  return { text: single, end: from + single.length };
}

/** The argument in brackets at `start`; null where none is there. */
export function readOptional(source: string, start: number): Argument | null {
  const from = skipSpace(source, start);
  if (source[from] !== '[') return null;
  const end = groupEnd(source, from, '[', ']');
  return { text: source.slice(from + 1, end), end: end + 1 };
}

/** A blank line ends a command. */
function skipSpace(source: string, start: number): number {
  const [space = ''] = /^[ \t]*(?:\n[ \t]*(?!\n))?/.exec(source.slice(start, start + 200)) ?? [];
  return start + space.length;
}

/**
 * The text that LaTeX prints for a source whose own macros are expanded. Formulas, citations, cross-references and unknown commands
 * become `gap`. A line break `\\` becomes a line break.
 */
export function latexText(source: string): string {
  let out = '';
  let at = 0;
  while (at < source.length) {
    const sign = source[at] ?? '';
    if (sign === '\\') {
      const printed = readCommand(source, at);
      out += printed.text;
      at = printed.end;
    } else if (sign === '$') {
      out += gap;
      at = mathEnd(source, at);
    } else {
      out += plainSigns[sign] ?? sign;
      at += 1;
    }
  }
  return out
    .replace(/---|--/g, (dashes) => (dashes.length === 3 ? '—' : '–'))
    .replace(/``|''/g, '"')
    .normalize('NFC');
}

const plainSigns: Readonly<Record<string, string>> = { '{': '', '}': '', '~': ' ', '&': ' ' };

function mathEnd(source: string, start: number): number {
  const fence = source.startsWith('$$', start) ? '$$' : '$';
  let at = start + fence.length;
  while (at < source.length && !source.startsWith(fence, at)) at += source[at] === '\\' ? 2 : 1;
  return at + fence.length;
}

function readCommand(source: string, start: number): Argument {
  const [, name = ''] = /^\\([a-zA-Z@]+\*?|.|$)/s.exec(source.slice(start, start + 60)) ?? [];
  const after = start + 1 + name.length;
  if (/^[^a-zA-Z]$/.test(name)) return readSign(source, name, after);
  const next = skipSpace(source, after);
  if (name === 'verb' || name === 'verb*' || name === 'lstinline') {
    const end = source.indexOf(source[after] ?? '', after + 1);
    return end === -1
      ? { text: gap, end: after }
      : { text: source.slice(after + 1, end), end: end + 1 };
  }
  if (name in accents) return accented(source, name, after);
  const symbol = symbols[name];
  if (symbol !== undefined) return { text: symbol, end: next };
  const bare = name.replace('*', '');
  if (/^cite|^(?:text|paren|auto|foot|full)cite/i.test(bare)) {
    return { text: gap, end: skipArguments(source, after, 1) };
  }
  if (bare === 'begin' || bare === 'end') return { text: ' ', end: readArgument(source, next).end };
  const silenced = silent[bare];
  if (silenced !== undefined) {
    return { text: '', end: silenced === 0 ? next : skipArguments(source, after, silenced) };
  }
  const replaced = replacing[bare];
  if (replaced !== undefined) return { text: gap, end: skipArguments(source, after, replaced) };
  if (bare === 'href' || bare === 'textcolor') {
    return { text: '', end: skipArguments(source, after, 1) };
  }
  return { text: transparent.has(bare) ? '' : gap, end: next };
}

function readSign(source: string, sign: string, after: number): Argument {
  if (sign === '\\') return { text: '\n', end: readOptional(source, after)?.end ?? after };
  if (sign === '(' || sign === '[') {
    const end = source.indexOf(sign === '(' ? '\\)' : '\\]', after);
    return { text: gap, end: end === -1 ? after : end + 2 };
  }
  if (sign in accents) return accented(source, sign, after);
  return {
    text: ',;:!/-'.includes(sign)
      ? sign === '!' || sign === '/' || sign === '-'
        ? ''
        : ' '
      : sign,
    end: after,
  };
}

function accented(source: string, accent: string, after: number): Argument {
  const { text, end } = readArgument(source, after);
  const [first = '', ...rest] = latexText(text);
  return { text: `${first}${accents[accent] ?? ''}${rest.join('')}`.normalize('NFC'), end };
}

function skipArguments(source: string, start: number, count: number): number {
  let end = start;
  for (let optional = readOptional(source, end); optional; optional = readOptional(source, end)) {
    end = optional.end;
  }
  for (let index = 0; index < count && source[skipSpace(source, end)] === '{'; index += 1) {
    end = readArgument(source, end).end;
  }
  return end;
}
