/** A piece of LaTeX between brackets, and where the text goes on behind it. */
export interface Argument {
  readonly content: string;
  readonly end: number;
}

/** The group `{…}` that begins at `from`, behind spaces; null where none does, or it does not end. */
export const groupAt = (text: string, from: number): Argument | null =>
  bracketed(text, from, '{', '}');

/** The option `[…]` that begins at `from`, behind spaces; null where none does. */
export const optionAt = (text: string, from: number): Argument | null =>
  bracketed(text, from, '[', ']');

function bracketed(text: string, from: number, open: string, close: string): Argument | null {
  let start = from;
  while (/\s/.test(text[start] ?? '')) start += 1;
  if (text[start] !== open) return null;
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '{' || character === open) depth += 1;
    else if (character === '}' || character === close) depth -= 1;
    if (depth === 0) return { content: text.slice(start + 1, at), end: at + 1 };
  }
  return null;
}

/** A use of a command with its group, e.g. `\caption[short]{long}`. */
export interface Use {
  readonly start: number;
  readonly end: number;
  /** Without backslash and star. */
  readonly name: string;
  readonly starred: boolean;
  readonly option: string | null;
  readonly content: string;
}

/** The uses of commands that have a group, in order, also those inside each other. */
export function usesOf(text: string, names: readonly string[]): readonly Use[] {
  const pattern = new RegExp(`\\\\(${names.join('|')})(\\*?)(?![A-Za-z@])`, 'g');
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [whole, name = '', star] = match;
    const option = optionAt(text, match.index + whole.length);
    const group = groupAt(text, option?.end ?? match.index + whole.length);
    return group === null
      ? []
      : [
          {
            start: match.index,
            end: group.end,
            name,
            starred: star !== '',
            option: option?.content ?? null,
            content: group.content,
          },
        ];
  });
}

export interface Environment {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly starred: boolean;
  /** Between `\begin{…}` and `\end{…}`, with the arguments. */
  readonly body: string;
}

/** The environments of some names in order, none inside another one of them. */
export function environmentsOf(text: string, names: readonly string[]): readonly Environment[] {
  const begin = new RegExp(`\\\\begin\\s*\\{(${names.join('|')})(\\*?)\\}`, 'g');
  const found: Environment[] = [];
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    const [whole, name = '', star = ''] = match;
    const bodyStart = match.index + whole.length;
    const end = endOf(text, bodyStart, name + star);
    if (end === null) continue;
    const body = text.slice(bodyStart, end.start);
    found.push({ start: match.index, end: end.end, name, starred: star !== '', body });
    begin.lastIndex = end.end;
  }
  return found;
}

function endOf(text: string, from: number, name: string): { start: number; end: number } | null {
  const escaped = name.replace('*', '\\*');
  const pattern = new RegExp(`\\\\(begin|end)\\s*\\{${escaped}\\}`, 'g');
  pattern.lastIndex = from;
  let depth = 1;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    depth += match[1] === 'begin' ? 1 : -1;
    if (depth === 0) return { start: match.index, end: match.index + match[0].length };
  }
  return null;
}

/** A text with other texts in place of some of its parts, which are in order and apart. */
export function withReplaced(
  text: string,
  parts: readonly { readonly start: number; readonly end: number; readonly by: string }[],
): string {
  let result = '';
  let at = 0;
  for (const { start, end, by } of parts) {
    if (start < at) continue;
    result += text.slice(at, start) + by;
    at = end;
  }
  return result + text.slice(at);
}

/** A text with one other text in place of each of some parts. @param by - nothing, if they are left out */
export const without = (
  text: string,
  parts: readonly { readonly start: number; readonly end: number }[],
  by = '',
): string =>
  withReplaced(
    text,
    parts.map(({ start, end }) => ({ start, end, by })),
  );

/** Splits at a separator outside of groups and environments: `&`, or `\\` with its option. */
export function splitOutside(text: string, separator: '&' | '\\\\'): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const rest = text[at];
    if (rest === '\\') {
      const environment = /^\\(begin|end)\b/.exec(text.slice(at, at + 7))?.[1];
      if (environment !== undefined) depth += environment === 'begin' ? 1 : -1;
      const isRow = text[at + 1] === '\\' || text.startsWith('\\tabularnewline', at);
      if (separator === '\\\\' && isRow && depth === 0) {
        parts.push(text.slice(start, at));
        const command = text[at + 1] === '\\' ? at + 2 : at + '\\tabularnewline'.length;
        const afterStar = text[command] === '*' ? command + 1 : command;
        const option = text[afterStar] === '[' ? optionAt(text, afterStar) : null;
        start = option?.end ?? afterStar;
        at = start - 1;
      } else {
        at += 1;
      }
    } else if (rest === '{') depth += 1;
    else if (rest === '}') depth -= 1;
    else if (rest === '&' && separator === '&' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}
