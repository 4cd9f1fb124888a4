import { groupAt, optionAt } from './arguments.js';

/** Commands of which nothing is printed where they stand, with the number of their groups. */
const silent: ReadonlyMap<string, number> = new Map([
  ...'label index vspace hspace footnote footnotetext footnotemark thanks includegraphics bibliographystyle bibliography pagestyle thispagestyle vskip usepackage color input email ead orcid inst fnref corref tnoteref authormark affmark phantomsection hypertarget phantom newtheorem pagenumbering linespread nocite cmidrule cline hypersetup captionsetup setlist fontseries fontfamily fontshape fontencoding'
    .split(' ')
    .map((name) => [name, 1] as const),
  ...'setlength setcounter addtolength addtocounter addcontentsline rule renewcommand'
    .split(' ')
    .map((name) => [name, 2] as const),
]);

/** Commands whose first group is no text, such as a colour or an address. */
const hiddenFirst = new Set(
  'textcolor colorbox href raisebox parbox resizebox scalebox hyperref fontsize hyperlink foreignlanguage selectlanguage multirow'.split(
    ' ',
  ),
);

const symbols: Readonly<Record<string, string>> = {
  ss: 'ß',
  ae: 'æ',
  AE: 'Æ',
  oe: 'œ',
  OE: 'Œ',
  o: 'ø',
  O: 'Ø',
  aa: 'å',
  AA: 'Å',
  l: 'ł',
  L: 'Ł',
  i: 'ı',
  j: 'ȷ',
  ldots: '…',
  dots: '…',
  textellipsis: '…',
  textendash: '–',
  textemdash: '—',
  textbackslash: '\\',
  textasciitilde: '~',
  textasciicircum: '^',
  textbar: '|',
  textless: '<',
  textgreater: '>',
  S: '§',
  P: '¶',
  copyright: '©',
  texttrademark: '™',
  textregistered: '®',
  pounds: '£',
  euro: '€',
  dag: '†',
  ddag: '‡',
  LaTeX: 'LaTeX',
  TeX: 'TeX',
  BibTeX: 'BibTeX',
  quad: ' ',
  qquad: ' ',
  newline: ' ',
  linebreak: ' ',
  par: ' ',
  textquotedblleft: '“',
  textquotedblright: '”',
  textquoteleft: '‘',
  textquoteright: '’',
  textbullet: '•',
  textdegree: '°',
  textpm: '±',
  texttimes: '×',
  textmu: 'µ',
  slash: '/',
  and: ', ',
  newblock: ' ',
  checkmark: '✓',
};

/** Combining marks of accents. */
const accents: Readonly<Record<string, string>> = {
  '`': '\u0300',
  "'": '\u0301',
  '^': '\u0302',
  '~': '\u0303',
  '=': '\u0304',
  u: '\u0306',
  '.': '\u0307',
  '"': '\u0308',
  r: '\u030A',
  H: '\u030B',
  v: '\u030C',
  d: '\u0323',
  c: '\u0327',
  k: '\u0328',
  b: '\u0331',
};

/** What citations and references print, by the keys of `\cite` and the labels of `\ref`. */
interface PrintedKeys {
  readonly cite: (command: string, keys: readonly string[]) => string;
  readonly ref: (label: string) => string;
}

const deepest = 60;

/** What LaTeX prints, on one line. Formulas stay LaTeX between dollar signs; what is not known leaves the text in its groups. */
export const plainText = (latex: string, printed: PrintedKeys): string =>
  convert(latex, printed, 0)
    .replace(/\s+/g, ' ')
    .replace(/\s+(?=[.,;:)\]](?:\s|$))/g, '')
    .trim();

function convert(latex: string, printed: PrintedKeys, depth: number): string {
  if (depth > deepest) return '';
  let text = '';
  for (let at = 0; at < latex.length; at += 1) {
    const character = latex[at] ?? '';
    if (character === '$') {
      const end = latex.indexOf('$', at + 1);
      const formula = end === -1 ? '' : latex.slice(at + 1, end);
      text += formula === '' ? '' : `$${formula.trim()}$`;
      at = end === -1 ? at : end;
    } else if (character === '{' || character === '}') {
      continue;
    } else if (character === '~') text += ' ';
    else if (latex.startsWith('---', at)) [text, at] = [`${text}—`, at + 2];
    else if (latex.startsWith('--', at)) [text, at] = [`${text}–`, at + 1];
    else if (latex.startsWith('``', at)) [text, at] = [`${text}“`, at + 1];
    else if (latex.startsWith("''", at)) [text, at] = [`${text}”`, at + 1];
    else if (character !== '\\') text += character;
    else {
      const read = readCommand(latex, at, printed, depth);
      text += read.text;
      at = read.end - 1;
    }
  }
  return text;
}

function readCommand(
  latex: string,
  at: number,
  printed: PrintedKeys,
  depth: number,
): { readonly text: string; readonly end: number } {
  const name = /^[A-Za-z@]+/.exec(latex.slice(at + 1, at + 60))?.[0];
  if (name === undefined) return readSign(latex, at, printed, depth);
  let end = at + 1 + name.length;
  const accent = name.length === 1 ? accents[name] : undefined;
  if (accent !== undefined && /^\s*\{|^\s+\p{L}/u.test(latex.slice(end, end + 4))) {
    return accented(latex, end, accent, printed, depth);
  }
  if (latex[end] === '*') end += 1;
  const symbol = symbols[name];
  if (symbol !== undefined) {
    const [skipped = ''] = /^(?:\{\}|\s+)/.exec(latex.slice(end, end + 20)) ?? [];
    return { text: symbol, end: end + skipped.length };
  }
  const options: string[] = [];
  for (
    let option = optionAt(latex, end);
    option !== null && latex[end] === '[';
    option = optionAt(latex, end)
  ) {
    options.push(option.content);
    end = option.end;
  }
  const group = groupAt(latex, end);
  if (group !== null && /^(?:[A-Z]?cite|[a-z]*cite)[a-zA-Z]*$/.test(name)) {
    const keys = group.content.split(',').map((key) => key.trim());
    return { text: printed.cite(name, keys), end: group.end };
  }
  if (group !== null && /^(?:eq|auto|c|C|name|v|page)?ref$/.test(name)) {
    const number = printed.ref(group.content.trim());
    return { text: name === 'eqref' && number !== '' ? `(${number})` : number, end: group.end };
  }
  let left = groupsWithoutText(name, group?.content ?? '');
  for (let next = groupAt(latex, end); left > 0 && next !== null; left -= 1) {
    end = next.end;
    const option = left > 1 ? optionAt(latex, end) : null;
    next = groupAt(latex, option?.end ?? end);
  }
  // A space behind a name only ends it; behind groups it is printed.
  const [skipped = ''] = /^[ \t]+/.exec(latex.slice(end, end + 20)) ?? [];
  const endsName = end === at + 1 + name.length;
  return { text: name === 'item' ? ' ' : '', end: endsName ? end + skipped.length : end };
}

/** Environments whose second group says how wide they are. */
const withLayout = /^(?:tabular|array|minipage|multicols|longtable|adjustbox|list)/;

function groupsWithoutText(command: string, first: string): number {
  if (command === 'begin' && withLayout.test(first)) return 2;
  const isHidden = hiddenFirst.has(command) || command === 'begin' || command === 'end';
  return silent.get(command) ?? (isHidden ? 1 : 0);
}

/** A backslash with a sign: an escaped character, an accent, a space or the end of a line. */
function readSign(latex: string, at: number, printed: PrintedKeys, depth: number) {
  const sign = latex[at + 1] ?? '';
  if (sign === '\\') {
    const star = latex[at + 2] === '*' ? at + 3 : at + 2;
    return {
      text: ' ',
      end: (latex[star] === '[' ? optionAt(latex, star)?.end : undefined) ?? star,
    };
  }
  const accent = accents[sign];
  if (accent !== undefined) return accented(latex, at + 2, accent, printed, depth);
  if ('%&#$_{}'.includes(sign)) return { text: sign, end: at + 2 };
  if (sign === '(' || sign === ')') return { text: '$', end: at + 2 };
  return { text: ', ;:!'.includes(sign) && sign !== '!' ? ' ' : '', end: at + 2 };
}

function accented(latex: string, from: number, mark: string, printed: PrintedKeys, depth: number) {
  const group = groupAt(latex, from);
  const [token = ''] = /^\s*(?:\\[A-Za-z]+|[^\s\\])/.exec(latex.slice(from, from + 20)) ?? [];
  const letter = convert(group?.content ?? token, printed, depth + 1)
    .trim()
    .replace('ı', 'i')
    .replace('ȷ', 'j');
  const [first = '', ...others] = Array.from(letter);
  return {
    text: (first + (first === '' ? '' : mark)).normalize('NFC') + others.join(''),
    end: group?.end ?? from + token.length,
  };
}

export interface BibItem {
  readonly key: string;
  /** As in `[Smith(1999)Smith]`; null where entries have numbers. */
  readonly option: string | null;
  readonly text: string;
}

/** The entries of the lists of references in a source. */
export function bibItemsOf(source: string): readonly BibItem[] {
  return [
    ...source.matchAll(/\\begin\s*\{thebibliography\}([^]*?)(?:\\end\s*\{thebibliography\}|$)/g),
  ]
    .flatMap(([, list = '']) => list.split(/\\bibitem(?![A-Za-z])/).slice(1))
    .flatMap((entry) => {
      const option = optionAt(entry, 0);
      const key = groupAt(entry, option?.end ?? 0);
      return key === null
        ? []
        : [
            {
              key: key.content.trim(),
              option: option?.content ?? null,
              text: entry.slice(key.end),
            },
          ];
    });
}

/** What the citations and references of a source print; nothing where that is not known. */
export function printedKeys(document: string, items: readonly BibItem[]): PrintedKeys {
  const entries = new Map(
    items.map(({ key, option }, index) => [key, { option, number: index + 1 }]),
  );
  const numbers = numbersOfLabels(document);
  return {
    cite: (command, keys) => {
      const found = keys.flatMap((key) => entries.get(key) ?? []);
      const named = found.map(({ option }) => namesAndYear(option));
      if (found.length === 0 || /^nocite/.test(command)) return '';
      if (!named.every((one) => one !== null)) {
        return `[${found.map(({ option, number }) => (option === null ? number : withoutMarkup(option))).join(', ')}]`;
      }
      return /^(?:cite[tA]|textcite|citealt|citeauthor|newcite)/.test(command)
        ? named.map(([names, year]) => `${names} (${year})`).join(', ')
        : `(${named.map(([names, year]) => `${names}, ${year}`).join('; ')})`;
    },
    ref: (label) => numbers.get(label) ?? '',
  };
}

const unknown: PrintedKeys = { cite: () => '', ref: () => '' };
const withoutMarkup = (latex: string): string => plainText(latex, unknown);

/** `Smith and Doe(1999)Smith, Doe` of natbib. */
function namesAndYear(option: string | null): readonly [names: string, year: string] | null {
  const [, names, year] = /^([^(]+)\(([^()]*)\)/.exec(withoutMarkup(option ?? '')) ?? [];
  return names === undefined || year === undefined ? null : [names.trim(), year];
}

const numbered =
  /\\(chapter|section|subsection|subsubsection)(\*?)\s*[[{]|\\(appendix)\b|\\begin\{(figure|table|longtable|equation|align|gather|eqnarray|multline)(\*?)\}|\\(caption)\s*[[{]|\\label\s*\{([^{}]*)\}/g;
const ranks = ['chapter', 'section', 'subsection', 'subsubsection'];

/** The numbers that standard classes give to sections, figures, tables and formulas, by their labels. */
function numbersOfLabels(document: string): ReadonlyMap<string, string> {
  const numbers = new Map<string, string>();
  const counts = new Map<string, number>();
  const top = /\\chapter\s*[[{]/.test(document) ? 0 : 1;
  let path: number[] = [];
  let inAppendix = false;
  let float = 'figure';
  let last = '';
  const next = (name: string): string => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return String(count);
  };
  for (const [, heading, star, appendix, environment, starred, caption, label] of document.matchAll(
    numbered,
  )) {
    if (appendix !== undefined) [inAppendix, path] = [true, []];
    else if (heading !== undefined && star === '') {
      const depth = ranks.indexOf(heading) - top;
      path = [
        ...path.slice(0, depth),
        ...Array.from({ length: Math.max(0, depth - path.length) }, () => 0),
        (path[depth] ?? 0) + 1,
      ];
      const [first = 1, ...rest] = path;
      const letter = String.fromCharCode('A'.charCodeAt(0) + first - 1);
      last = [inAppendix ? letter : String(first), ...rest].join('.');
    } else if (environment === 'figure' || environment === 'table' || environment === 'longtable') {
      float = environment === 'figure' ? 'figure' : 'table';
    } else if (environment !== undefined && starred === '') last = next('equation');
    else if (caption !== undefined) last = next(float);
    else if (label !== undefined) numbers.set(label.trim(), last);
  }
  return numbers;
}
