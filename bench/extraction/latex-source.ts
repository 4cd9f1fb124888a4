import { readArgument, readOptional, replaceWhole, type Argument } from './latex-text.js';

/** A LaTeX source without what is not printed or not LaTeX, its own macros expanded. */
export interface LatexSource {
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
