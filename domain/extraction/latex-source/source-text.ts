import { UnexpectedDocument } from '../parsers/paper-parts.js';
import { usesOf, withReplaced } from './arguments.js';

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
