import { UnexpectedDocument } from '../parsers/paper-parts.js';
import { usesOf, withReplaced, groupAt, optionAt } from './arguments.js';

/** The `.tex` and `.bbl` files of a paper by their paths, with `/` between folders. */
export type SourceFiles = ReadonlyMap<string, string>;

const deepestInput = 20;
/** Characters. The sources of long books have a fifth of it. */
const longestSource = 10_000_000;

/**
 * The source of a paper as one text: its main file without comments, with the files that it takes in, and its list of
 * references in place of `\bibliography`. Throws UnexpectedDocument where no file is a document.
 */
export function sourceText(files: SourceFiles): string {
  const main = mainFile(files);
  const text = withInputs(plainSource(files.get(main) ?? ''), files, folderOf(main), 0);
  const document = /\\begin\s*\{document\}([^]*?)(?:\\end\s*\{document\}|$)/.exec(text)?.[1] ?? '';
  const preamble = text.slice(0, Math.max(0, text.search(/\\begin\s*\{document\}/)));
  return `${preamble}\\begin{document}${withList(document, files, main)}\\end{document}`;
}

/** The file that begins a document and has the most text; of a class for single pictures only if there is no other. */
function mainFile(files: SourceFiles): string {
  const documents = [...files]
    .filter(
      ([path, text]) =>
        /\.(?:tex|ltx)$/i.test(path) && /^[^%\n]*\\begin\s*\{document\}/m.test(text),
    )
    .map(([path, text]) => ({
      path,
      isPaper: !/\\documentclass[^{]*\{(?:standalone|beamer)\}/.test(text),
      length: text.length,
    }))
    .sort((a, b) => Number(b.isPaper) - Number(a.isPaper) || b.length - a.length);
  const [first] = documents;
  if (first === undefined) throw new UnexpectedDocument('has no file with \\begin{document}');
  return first.path;
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

const verbatim =
  /\\begin\s*\{((?:verbatim|lstlisting|minted|Verbatim|comment|filecontents)\*?)\}[^]*?\\end\s*\{\1\}/g;

const inlineCode = /\\(?:verb|lstinline)\*?([^A-Za-z\s{*]).*?\1/g;

/** Without comments and what `\iffalse` hides; listings keep their percent signs as `\%`. */
function plainSource(text: string): string {
  const escaped = (code: string): string => code.replace(/(?<!\\)%/g, '\\%');
  const kept = text
    .replace(/\r\n?/g, '\n')
    .replace(verbatim, (listing, name: string) =>
      /^(?:comment|filecontents)/.test(name) ? '' : escaped(listing),
    )
    .replace(inlineCode, escaped);
  return kept
    .replace(/^[ \t]*%.*\n/gm, '')
    .replace(/(?<=(?:^|[^\\])(?:\\\\)*)%.*\n[ \t]*/gm, '')
    .replace(/\\iffalse\b[^]*?\\fi\b/g, '')
    .replace(/\\endinput\b[^]*$/, '');
}

function withInputs(text: string, files: SourceFiles, folder: string, depth: number): string {
  if (depth > deepestInput || text.length > longestSource) return text;
  const parts = usesOf(text, ['input', 'include', 'subfile']).map(({ start, end, content }) => {
    const found = fileNamed(content.trim(), files, folder);
    const taken = found === null ? '' : plainSource(files.get(found) ?? '');
    const body = /\\begin\s*\{document\}([^]*?)\\end\s*\{document\}/.exec(taken)?.[1] ?? taken;
    return { start, end, by: withInputs(body, files, folder, depth + 1) };
  });
  return withReplaced(text, parts);
}

function fileNamed(name: string, files: SourceFiles, folder: string): string | null {
  const plain = name.replace(/^\.\//, '');
  const names = [plain, `${plain}.tex`].flatMap((one) => [folder + one, one]);
  return names.find((one) => files.has(one)) ?? null;
}

/** The list that BibTeX has made, in place of the command that prints it. */
function withList(document: string, files: SourceFiles, main: string): string {
  const lists = [...files].filter(([path]) => /\.bbl$/i.test(path));
  const own = main.replace(/\.[^.]+$/, '.bbl');
  const list = files.get(own) ?? (lists.length === 1 ? lists[0]?.[1] : undefined);
  if (list === undefined) return document;
  const text = plainSource(list);
  return document.replace(
    /\\bibliography\s*\{[^{}]*\}|\\printbibliography(?:\s*\[[^\]]*\])?/,
    () => text,
  );
}

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
