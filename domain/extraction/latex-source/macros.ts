import { groupAt, optionAt } from './arguments.js';

interface Macro {
  readonly parameters: number;
  /** Of the first parameter; null where it must be given. */
  readonly fallback: string | null;
  readonly body: string;
}

/** Macros that use macros are expanded so often, and no text grows beyond so many times its length. */
const mostRounds = 10;
const mostGrowth = 5;

/**
 * Expands the macros that a source defines with `\newcommand`, `\renewcommand`, `\providecommand`, `\DeclareMathOperator` or a
 * simple `\def`, and removes their definitions.
 */
export function expandMacros(source: string): string {
  const { text, macros } = takeDefinitions(source);
  if (macros.size === 0) return text;
  let expanded = text;
  for (let round = 0; round < mostRounds; round += 1) {
    const next = expandOnce(expanded, macros);
    if (next === expanded || next.length > source.length * mostGrowth + 10_000) break;
    expanded = next;
  }
  return expanded;
}

const definition =
  /\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand|DeclareMathOperator|def|gdef)\*?(?![A-Za-z])\s*/g;

function takeDefinitions(source: string) {
  const macros = new Map<string, Macro>();
  let text = '';
  let at = 0;
  for (const match of source.matchAll(definition)) {
    if (match.index < at) continue;
    const read = readDefinition(source, match.index + match[0].length, match[0]);
    if (read === null) continue;
    // Those that write commands of LaTeX anew, such as \section, say how it is printed.
    if (!kept.has(read.name)) macros.set(read.name, read.macro);
    text += source.slice(at, match.index);
    at = read.end;
  }
  return { text: text + source.slice(at), macros };
}

const kept = new Set(
  'section subsection subsubsection paragraph chapter part title author date thanks caption label ref cite item footnote bibitem newblock and abstract thebibliography maketitle refname'.split(
    ' ',
  ),
);

function readDefinition(source: string, from: number, command: string) {
  const named = groupAt(source, from);
  const bare = /^\\([A-Za-z@]+)/.exec(source.slice(from, from + 80));
  const name = (named?.content ?? bare?.[0] ?? '').trim();
  if (!/^\\[A-Za-z@]+$/.test(name)) return null;
  let at = named?.end ?? from + name.length;
  let parameters = 0;
  let fallback: string | null = null;
  if (/^\\g?def/.test(command)) {
    const [marks = ''] = /^(?:#\d)*/.exec(source.slice(at, at + 20)) ?? [];
    parameters = marks.length / 2;
    at += marks.length;
  } else if (!command.startsWith('\\DeclareMath')) {
    const count = optionAt(source, at);
    parameters = Math.min(9, Number(count?.content ?? 0) || 0);
    at = count?.end ?? at;
    const option = count === null ? null : optionAt(source, at);
    fallback = option?.content ?? null;
    at = option?.end ?? at;
  }
  const body = groupAt(source, at);
  if (body === null) return null;
  const isOperator = command.startsWith('\\DeclareMath');
  const text = isOperator ? `\\operatorname{${body.content}}` : body.content;
  return { name: name.slice(1), macro: { parameters, fallback, body: text }, end: body.end };
}

function expandOnce(text: string, macros: ReadonlyMap<string, Macro>): string {
  let result = '';
  let at = 0;
  for (const match of text.matchAll(/\\([A-Za-z@]+)/g)) {
    const macro = macros.get(match[1] ?? '');
    if (macro === undefined || match.index < at || text[match.index - 1] === '\\') continue;
    const used = argumentsOf(text, match.index + match[0].length, macro);
    if (used === null) continue;
    const body = macro.body.replace(
      /#(\d)/g,
      (_, digit: string) => used.given[Number(digit) - 1] ?? '',
    );
    // A name must not run into the letter behind it.
    const gap = macro.parameters === 0 && /\\[A-Za-z]+$/.test(body) ? ' ' : '';
    result += text.slice(at, match.index) + body + gap;
    at = used.end;
  }
  return result + text.slice(at);
}

function argumentsOf(text: string, from: number, { parameters, fallback }: Macro) {
  const given: string[] = [];
  let end = from;
  for (let index = 0; index < parameters; index += 1) {
    if (index === 0 && fallback !== null) {
      const option = optionAt(text, end);
      given.push(option?.content ?? fallback);
      end = option?.end ?? end;
      continue;
    }
    const group = groupAt(text, end);
    if (group !== null) {
      given.push(group.content);
      end = group.end;
      continue;
    }
    const [token] = /^\s*(?:\\[A-Za-z]+|[^\s\\{}])/.exec(text.slice(end, end + 80)) ?? [];
    if (token === undefined) return null;
    given.push(token.trim());
    end += token.length;
  }
  // TeX skips the spaces behind a name without arguments.
  if (parameters === 0) while (/[ \t]/.test(text[end] ?? '')) end += 1;
  return { given, end };
}
