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

export interface Argument {
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

/** The argument at `start`, after an optional one. */
export const argumentAfter = (source: string, start: number): Argument =>
  readArgument(source, readOptional(source, start)?.end ?? start);

/** Replaces what a pattern finds, and what comes after it up to the end that `replace` gives. Null leaves it alone. */
export function replaceWhole(
  source: string,
  pattern: RegExp,
  replace: (match: RegExpExecArray, end: number) => Argument | null,
): string {
  let out = '';
  let from = 0;
  for (const match of source.matchAll(pattern)) {
    const found = match.index < from ? null : replace(match, match.index + match[0].length);
    if (found === null) continue;
    out += source.slice(from, match.index) + found.text;
    from = found.end;
  }
  return out + source.slice(from);
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
  const bare = name.replace('*', '');
  const isCitation = /^cite|^(?:text|paren|auto|foot|full)cite/i.test(bare);
  const { text, count } = isCitation ? aGap : (commands.get(bare) ?? unknown);
  return { text, end: count === 0 ? next : skipArguments(source, after, count) };
}

function readSign(source: string, sign: string, after: number): Argument {
  if (sign === '\\') return { text: '\n', end: readOptional(source, after)?.end ?? after };
  if (sign === '(' || sign === '[') {
    const end = source.indexOf(sign === '(' ? '\\)' : '\\]', after);
    return { text: gap, end: end === -1 ? after : end + 2 };
  }
  if (sign in accents) return accented(source, sign, after);
  return { text: spaces[sign] ?? sign, end: after };
}

/** Wide and narrow ones, and what only says where a line may break. */
const spaces: Readonly<Record<string, string>> = {
  ...{ ',': ' ', ';': ' ', ':': ' ' },
  ...{ '!': '', '/': '', '-': '' },
};

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

// Names of commands are no words. cspell:disable

/** Combining characters of the accents `\"a`, `\v{c}` … */
const accents: Readonly<Record<string, string>> = {
  '"': '\u0308',
  "'": '\u0301',
  '`': '\u0300',
  '^': '\u0302',
  '~': '\u0303',
  '=': '\u0304',
  '.': '\u0307',
  c: '\u0327',
  v: '\u030C',
  u: '\u0306',
  H: '\u030B',
  k: '\u0328',
  r: '\u030A',
  b: '\u0331',
  d: '\u0323',
};

/** Commands that print these signs. */
const symbols: Readonly<Record<string, string>> = {
  ss: 'ß',
  o: 'ø',
  O: 'Ø',
  ae: 'æ',
  AE: 'Æ',
  oe: 'œ',
  OE: 'Œ',
  aa: 'å',
  AA: 'Å',
  l: 'ł',
  L: 'Ł',
  i: 'i',
  j: 'j',
  LaTeX: 'LaTeX',
  TeX: 'TeX',
  BibTeX: 'BibTeX',
  ldots: '…',
  dots: '…',
  textbackslash: '\\',
  textasciitilde: '~',
  textasciicircum: '^',
  textunderscore: '_',
  textgreater: '>',
  textless: '<',
  textquotesingle: "'",
  textendash: '–',
  textemdash: '—',
  copyright: '©',
  quad: ' ',
  qquad: ' ',
  par: '\n\n',
  newline: '\n',
  linebreak: '\n',
  item: '\n',
  and: '\n',
};

/** What a command prints instead of the arguments in braces that it swallows. */
interface Printed {
  readonly text: string;
  readonly count: number;
}
const aGap: Printed = { text: gap, count: 1 };
const unknown: Printed = { text: gap, count: 0 };

const commands: ReadonlyMap<string, Printed> = new Map([
  ...printing(
    { text: '', count: 0 },
    `protect relax xspace noindent indent centering raggedright maketitle appendix ensuremath leavevmode ignorespaces break null strut
    em it bf tt sc sf rm sl itshape bfseries ttfamily sffamily scshape upshape normalfont mdseries slshape rmfamily selectfont
    tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge singlespacing doublespacing onehalfspacing sloppy
    hline toprule midrule bottomrule newpage clearpage pagebreak smallskip medskip bigskip hfill vfill allowbreak nolinebreak
    nopagebreak footnotemark tableofcontents listoffigures listoftables`,
  ),
  // These print their argument, which is text that follows.
  ...printing(
    { text: '', count: 0 },
    `textbf textit texttt textsf textsc textrm textup textsl textmd textnormal emph underline uppercase MakeUppercase textsuperscript
    textsubscript text code pkg proglang class fct url CRANpkg dfn strong file command option env acro samp verb nolinkurl title
    centerline subsection section subsubsection paragraph caption mbox fbox hbox makebox parbox`,
  ),
  // `href` and `textcolor` print their second one.
  ...printing(
    { text: '', count: 1 },
    `label index vspace hspace vskip hskip footnote thanks footnotetext includegraphics pagestyle thispagestyle bibliographystyle
    bibliography marginpar email phantom SweaveOpts setkeys usepackage nocite VignetteIndexEntry tikzset lstset hypersetup setstretch
    fontseries fontfamily fontshape fontencoding color lstinputlisting markboth inst pdfbookmark captionsetup graphicspath
    usetikzlibrary href textcolor`,
  ),
  ...printing(
    { text: '', count: 2 },
    'setcounter addtocounter setlength addtolength addcontentsline newcounter rule fontsize',
  ),
  ...printing(
    aGap,
    'ref eqref pageref autoref vref cref Cref nameref Sexpr fref Fref tabref figref input include verbatiminput',
  ),
  ...printing({ text: ' ', count: 1 }, 'begin end'),
  ...Object.entries(symbols).map(([name, text]) => [name, { text, count: 0 }] as const),
]);

function printing(printed: Printed, names: string): readonly (readonly [string, Printed])[] {
  return names.split(/\s+/).map((name) => [name, printed]);
}
