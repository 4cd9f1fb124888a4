import {
  argumentAfter,
  groupEnd,
  latexText,
  readOptional,
  readArgument,
  replaceWhole,
  type Argument,
} from './latex-text.js';
import {
  gap,
  oneLine,
  type CaptionTruth,
  type PaperTruth,
  type ReferenceTruth,
  type SectionTruth,
} from './truth.js';

/** The truth from the source of a paper in LaTeX, Sweave or knitr. */
export function latexTruth(text: string): PaperTruth {
  const source = readLatexSource(text);
  const whole = `${source.preamble}\n${source.body}`;
  const texts = (name: string): readonly string[] =>
    argumentsOf(whole, name)
      .slice(0, 1)
      .map(latexText)
      .map(oneLine)
      .filter((line) => line !== '');
  const complete =
    !/\\(?:input|include|subfile|includepdf)\s*[[{]|\\SweaveInput/.test(
      source.body.replace(/\\input\s*\{[^}]*(?:figs?|table|plot|graphic)[^}]*\}/gi, ''),
    ) && !source.chunkOptions.some((options) => /\bchild\s*=/.test(options));
  return {
    titles: [...texts('title'), ...texts('Plaintitle')],
    authors:
      argumentsOf(whole, 'author').slice(0, 1).map(authorsOfLatex)[0] ??
      argumentsOf(whole, 'Plainauthor').slice(0, 1).map(plainAuthors)[0] ??
      null,
    abstract: abstractOf(whole),
    sections: complete ? sectionsOf(source.body) : null,
    possibleSections: sectionsOf(source.code.replaceAll('\\\\', '\\')).map(({ title }) => title),
    captions: [...captionsOf(source.body), ...source.chunkOptions.flatMap(chunkCaption)],
    references: referencesOf(source),
    paragraphs: paragraphsOf(source.body),
    displayEquations: Array.from(source.body.matchAll(displayEquation)).length,
    columns: /\\documentclass\s*\[[^\]]*twocolumn/.test(text) ? 2 : 1,
  };
}

/** The arguments of every use of a command, the optional one left out. */
function argumentsOf(source: string, name: string): readonly string[] {
  const uses = source.matchAll(new RegExp(`\\\\${name}\\*?(?=\\s*[[{])`, 'g'));
  return Array.from(uses, ({ 0: use, index }) => argumentAfter(source, index + use.length).text);
}

const levels = ['section', 'subsection', 'subsubsection', 'paragraph', 'subparagraph'] as const;

function sectionsOf(body: string): readonly SectionTruth[] {
  const heading = /\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?(?=\s*[[{])/g;
  const found = Array.from(body.matchAll(heading), (match) => {
    const { text } = argumentAfter(body, match.index + match[0].length);
    const level = levels.findIndex((name) => name === match[1]) + 1;
    return { level, title: oneLine(latexText(text)) };
  });
  // A `part` or `chapter` has level 0 so far.
  const raised = found.some(({ level }) => level === 0) ? 1 : 0;
  return found
    .filter(({ title }) => /[\p{L}\p{N}]/u.test(title))
    .map(({ level, title }) => ({ level: level + raised, title }));
}

const floats =
  /\\begin\{((?:sideways|wrap|SC|long|margin)?(?:figure|table)|longtable|tabularx)(\*?)\}([\s\S]*?)\\end\{\1\2\}/g;

function captionsOf(body: string): readonly CaptionTruth[] {
  const inFloats = Array.from(body.matchAll(floats)).flatMap(([, name = '', , content = '']) => {
    const own = content.replace(/\\begin\{(sub(?:figure|table))\}[\s\S]*?\\end\{\1\}/g, '');
    return argumentsOf(own, 'caption').map((text) => captionOf(name, text));
  });
  const apart = Array.from(body.matchAll(/\\captionof\s*\{(figure|table)\}/g), (match) => {
    const { text } = argumentAfter(body, match.index + match[0].length);
    return captionOf(match[1] ?? '', text);
  });
  return [...inFloats, ...apart].filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
}

const captionOf = (name: string, text: string): CaptionTruth => ({
  kind: name.includes('figure') ? 'figure' : 'table',
  text: oneLine(latexText(text)),
  cells: [],
});

/** `fig.cap` of a chunk where it is one string. */
export function chunkCaption(options: string): readonly CaptionTruth[] {
  const [, double, single] =
    /fig\.cap\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*(?:,|$|\})/.exec(options) ?? [];
  const text = double ?? single;
  if (text === undefined || /\b(?:eval|include)\s*=\s*(?:F|FALSE)\b/.test(options)) return [];
  return [captionOf('figure', text.replace(/\\(.)/g, '$1'))];
}

function abstractOf(whole: string): string | null {
  const [, inEnvironment] = /\\begin\{abstract\}([\s\S]*?)\\end\{abstract\}/.exec(whole) ?? [];
  const text = inEnvironment ?? argumentsOf(whole, '[aA]bstract')[0];
  return text === undefined ? null : oneLine(latexText(text));
}

/** From the list itself, else a key for each entry that is cited. */
function referencesOf({ preamble, body, code }: LatexSource): readonly ReferenceTruth[] | null {
  const [, list] = /\\begin\{thebibliography\}([\s\S]*?)\\end\{thebibliography\}/.exec(body) ?? [];
  if (list !== undefined) {
    const [, ...items] = list.split(/\\bibitem\b/);
    return items.map((item) => {
      const { end } = argumentAfter(item, 0);
      return { parts: [oneLine(latexText(item.slice(end)))] };
    });
  }
  if (!/\\(?:bibliography|printbibliography)\b/.test(body)) return null;
  // Title and abstract may stand before the body.
  const before = ['title', 'Abstract'].flatMap((name) => argumentsOf(preamble, name));
  const keys = citedKeys([...before, body].join(' '));
  // A key that a program writes cannot be counted, and `*` stands for all entries.
  if (keys.has('*') || /\\defbibheading|\\newrefsection/.test(preamble)) return null;
  if (/\\cite/.test(code)) return null;
  if (keys.size === 0 || [...keys].some((key) => /[\\#]/.test(key))) return null;
  return Array.from(keys, () => ({ parts: [] }));
}

/** The keys of all citations, in order. */
export const citedKeys = (source: string): ReadonlySet<string> =>
  new Set(
    Array.from(source.matchAll(/\\(?:[a-zA-Z]*[cC]ite[a-zA-Z]*)\*?(?=\s*[[{])/g))
      .flatMap((match) => {
        let start = match.index + match[0].length;
        for (let option = readOptional(source, start); option;) {
          start = option.end;
          option = readOptional(source, start);
        }
        return source[start] === '{'
          ? source.slice(start + 1, groupEnd(source, start)).split(',')
          : [];
      })
      .map((key) => key.trim())
      .filter((key) => key !== ''),
  );

const displayEquation =
  /\\begin\{((?:equation|align|eqnarray|displaymath|gather|multline|flalign|alignat)\*?)\}[\s\S]*?\\end\{\1\}|\\\[[\s\S]*?\\\]|(?<!\\)\$\$[\s\S]*?\$\$/g;

function paragraphsOf(body: string): readonly string[] {
  return (
    body
      .replace(/\\begin\{(thebibliography|tabular|center|abstract)\}[\s\S]*?\\end\{\1\}/g, '\n\n')
      .replace(floats, '\n\n')
      .replace(displayEquation, gap)
      // A note leaves its mark in the text.
      .replace(/\\footnote(?:mark)?(?=\s*[[{])/g, `${gap}\\label`)
      .replace(
        /\\(?:title|author|Plainauthor|Plaintitle|Shorttitle|Address|Abstract|Keywords|Plainkeywords|(?:sub)*section|(?:sub)?paragraph)\*?(?=\s*[[{])/g,
        '\n\n\\label',
      )
      .split(/\n[ \t]*\n|\\item\b|\\par\b/)
      .map((paragraph) => oneLine(latexText(paragraph)))
      .filter((paragraph) => /\p{L}/u.test(paragraph))
  );
}

/**
 * The names in the argument of `\author`; null where it holds anything that is not surely a name. Authors are divided by `\and`,
 * commas, "and" or a wide line break; the lines after a name are its affiliation.
 */
export function authorsOfLatex(source: string): readonly string[] | null {
  const bare = replaceWhole(source, /\\(?:thanks|footnote)/g, (_, after) => ({
    ...{ text: '', end: readArgument(source, after).end },
  }))
    .replace(/\$[^$]*\$/g, '')
    .replace(
      /\\includegraphics\s*(?:\[[^\]]*\])?\s*\{[^}]*\}(?:\s*\\hspace\{[^}]*\})?(?:\s*\\\\)?/g,
      '',
    );
  const groups = bare.split(/\\(?:And|AND|and)\b|\\\\\s*\[\s*(?:\d|\.\d)[^\]]*\]/);
  return surelyNames(groups.flatMap((group) => namesOf(latexText(group))));
}

/** The names in the argument of `\Plainauthor`, which is plain text with commas. */
const plainAuthors = (source: string): readonly string[] | null =>
  surelyNames(dividedNames(oneLine(latexText(source))));

/** Names as a front matter in YAML gives them. */
export function surelyNames(names: readonly string[]): readonly string[] | null {
  const clean = names
    .map((name) => oneLine(name.replace(/[*†‡§¶]/g, '')))
    .filter((name) => name !== '');
  return clean.length > 0 && clean.every(isName) ? clean : null;
}

export const dividedNames = (line: string): readonly string[] =>
  line.split(/,|;|&|(?:^|\s)and(?=\s|$)/).map(oneLine);

/** The first line, and the next ones as long as they go on with names. */
function namesOf(text: string): readonly string[] {
  const lines = text
    .split('\n')
    .map(oneLine)
    .filter((line) => line !== '');
  const names: string[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1] ?? '';
    if (index > 0 && !line.startsWith('and ') && !/(?:,|\band)$/.test(before)) break;
    names.push(...dividedNames(line));
  }
  return names;
}

const particles = new Set('van von der den de di da del la le dos du ten ter af'.split(' '));
const institution =
  /universi|institut|department|school|college|center|centre|team|group|laborator|others|inc\b|ltd|research/i;

function isName(text: string): boolean {
  const words = text.split(' ');
  return (
    words.length >= 2 &&
    words.length <= 5 &&
    !institution.test(text) &&
    words.every((word) => particles.has(word) || /^\p{Lu}[\p{L}'’.-]*$/u.test(word))
  );
}

/** A LaTeX source without what is not printed or not LaTeX, its own macros expanded. */
interface LatexSource {
  readonly preamble: string;
  readonly body: string;
  /** Headers of code chunks, e.g. `plot, fig.cap="Sales"`. */
  readonly chunkOptions: readonly string[];
  /** The code of chunks. */
  readonly code: string;
}

/** Reads `.Rnw` (Sweave and knitr), `.Rtex` and plain LaTeX. */
export function readLatexSource(source: string): LatexSource {
  const chunkOptions: string[] = [];
  const code: string[] = [];
  const keep = (options: string, chunk: string): string => {
    chunkOptions.push(options);
    code.push(chunk);
    return '\n';
  };
  const document = source
    .replace(/\r\n?/g, '\n')
    .replace(
      /^<<(.*)>>=[^\n]*\n([\s\S]*?)(?:^@[^\n]*$|(?=^<<.*>>=)|$(?![\s\S]))/gm,
      (_, options: string, chunk: string) => keep(options, chunk),
    )
    .replace(
      /^%+ *begin\.rcode(.*)\n([\s\S]*?)^%+ *end\.rcode.*$/gm,
      (_, options: string, chunk: string) => keep(options, chunk),
    );
  const printed = withoutComments(withoutVerbatim(document)).replace(
    /\\iffalse\b[\s\S]*?\\fi\b/g,
    '',
  );
  const { rest, macros } = takeMacros(printed.replace(/\\hyphenchar\\font\s*=?\s*-?\d+/g, ''));
  const begin = rest.indexOf('\\begin{document}');
  // The last one: an example in the text may show a whole document.
  const end = rest.lastIndexOf('\\end{document}');
  const preamble = begin === -1 ? '' : rest.slice(0, begin);
  const body = rest.slice(begin === -1 ? 0 : begin + 16, end === -1 ? undefined : end);
  return {
    preamble: expand(preamble, macros),
    body: expand(body, macros),
    chunkOptions,
    code: code.join('\n'),
  };
}

const verbatimNames =
  'verbatim|Verbatim|Sinput|Soutput|Scode|Schunk|Code|CodeInput|CodeOutput|CodeChunk|Rinput|Routput|lstlisting|alltt|comment|filecontents|tikzCodeBlock|tikzCodeNode';

function withoutVerbatim(source: string): string {
  const defined = source.matchAll(/\\(?:DefineVerbatimEnvironment|lstnewenvironment)\s*\{(\w+)\}/g);
  const names = [verbatimNames, ...Array.from(defined, ([, name]) => name)].join('|');
  const environment = new RegExp(
    `^((?:[^%\\n\\\\]|\\\\.)*?)\\\\begin\\{(${names})(\\*?)\\}[\\s\\S]*?\\\\end\\{\\2\\3\\}`,
    'gm',
  );
  // Twice, since an environment may stand in a line after another one, or around one.
  return source.replace(environment, '$1\n\n').replace(environment, '$1\n\n');
}

/** A comment takes its line break and the space before the next line along. */
const withoutComments = (source: string): string =>
  source
    .replace(/^[ \t]*%.*\n/gm, '')
    // A command before it must not run into the next word.
    .replace(/(\\[a-zA-Z]+)%.*\n[ \t]*(?=[a-zA-Z])/g, '$1 ')
    .replace(/(^|[^\\])((?:\\\\)*)%.*\n?[ \t]*/g, '$1$2');

interface Macro {
  readonly parameters: number;
  /** The value of the first parameter where it is optional. */
  readonly fallback: string | null;
  readonly body: string;
}
type Macros = ReadonlyMap<string, Macro>;

const definition =
  /\\(?:(?:re|provide)?newcommand|providecommand|DeclareRobustCommand)\*?\s*(?:\{\s*\\([a-zA-Z]+)\s*\}|\\([a-zA-Z]+))|\\def\s*\\([a-zA-Z]+)((?:#\d)*)\s*(?=\{)|\\let\s*\\([a-zA-Z]+)\s*=?\s*(\\[a-zA-Z]+)/g;

/** Takes definitions out of the source. Those that change how TeX reads its signs are left unknown. */
function takeMacros(source: string): { readonly rest: string; readonly macros: Macros } {
  const macros = new Map<string, Macro>();
  const rest = replaceWhole(source, definition, (match, after) => {
    const [, braced, plain, def, parameters = '', alias, target = ''] = match;
    if (alias !== undefined) {
      macros.set(alias, { parameters: 0, fallback: null, body: target });
      return { text: '', end: after };
    }
    // The one in a `\def` follows at once.
    const count = def === undefined ? readOptional(source, after) : null;
    const fallback = count && readOptional(source, count.end);
    const { text: body, end } = readArgument(source, fallback?.end ?? count?.end ?? after);
    macros.set(def ?? braced ?? plain ?? '', {
      parameters: def === undefined ? Number(count?.text ?? 0) : parameters.length / 2,
      fallback: fallback?.text ?? null,
      body,
    });
    return { text: '', end };
  });
  for (const [name, { body }] of macros) {
    if (/@|\\catcode|\\begingroup|\\bgroup|\\futurelet/.test(body)) macros.delete(name);
  }
  return { rest, macros };
}

/** More than any real nesting of macros; a macro may contain itself. */
const deepestMacro = 8;

function expand(source: string, macros: Macros, depth = 0): string {
  if (depth === deepestMacro || macros.size === 0) return source;
  const expanded = replaceWhole(source, /\\([a-zA-Z]+)/g, ([, name = ''], after) => {
    const macro = macros.get(name);
    return macro === undefined ? null : applied(source, after, macro);
  });
  return expanded === source ? source : expand(expanded, macros, depth + 1);
}

/** The body of a macro whose arguments stand at `start`. */
function applied(source: string, start: number, { parameters, fallback, body }: Macro): Argument {
  const values: string[] = [];
  let end = start;
  if (fallback !== null) {
    const optional = readOptional(source, end);
    values.push(optional?.text ?? fallback);
    end = optional?.end ?? end;
  }
  while (values.length < parameters) {
    const argument = readArgument(source, end);
    values.push(argument.text);
    end = argument.end;
  }
  const filled = body.replace(/#(\d)/g, (_, index: string) => values[Number(index) - 1] ?? '');
  if (parameters > 0) return { text: filled, end };
  // TeX drops the space after a command without arguments; \xspace puts one before a word.
  const [space = ''] = /^[ \t]*(?:\n(?![ \t]*\n)[ \t]*)?/.exec(source.slice(end, end + 200)) ?? [];
  const next = source[end + space.length] ?? '';
  const spaced = /\\xspace/.test(body) && space !== '' && !/[.,;:!?'~)}/-]/.test(next);
  const apart = spaced || (/\\[a-zA-Z]+$/.test(filled) && /[a-zA-Z]/.test(next));
  return { text: apart ? `${filled} ` : filled, end: end + space.length };
}
