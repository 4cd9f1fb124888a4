import { namesIn } from '../front-matter/authors.js';
import { clampSpan } from '../parsers/html-table.js';
import {
  foundParts,
  nowhere,
  type EquationPart,
  type FigurePart,
  type PaperParts,
  type Passage,
  type SectionPart,
  type SectionsPart,
  type TablePart,
} from '../parsers/paper-parts.js';
import { readReferences } from '../references/reference-list.js';
import { tableHtml, type TextCell } from '../tables/table-html.js';
import {
  environmentsOf,
  splitOutside,
  usesOf,
  without,
  withReplaced,
  groupAt,
  optionAt,
  type Environment,
} from './arguments.js';
import { plainText, bibItemsOf, printedKeys, type BibItem } from './plain-text.js';
import { expandMacros, sourceText, type SourceFiles } from './source-text.js';

/**
 * What the LaTeX source of a paper says: its text without places on pages and, but for references to them, without numbers, which
 * only the PDF tells. Throws UnexpectedDocument where no file is a document.
 */
export function readLatexSource(files: SourceFiles): PaperParts {
  const source = expandMacros(sourceText(files));
  const shelf = newShelf();
  const document = withoutListings(source, shelf).replace(/^[^]*?\\begin\{document\}/, '');
  const items = bibItemsOf(document);
  const keys = printedKeys(document, items);
  const text = (latex: string): string => shelf.restore(plainText(latex, keys)).trim();
  const references = readReferences(items.map((item) => ({ text: text(item.text), ...nowhere })));
  const abstracts = environmentsOf(source, ['abstract']);
  const abstract = abstracts[0]?.body ?? usesOf(source, ['abstract', 'Abstract'])[0]?.content ?? '';
  const { tables, figures, rest } = takeFloats(withoutFrontMatter(document), text);
  const { equations, rest: running } = takeEquations(rest, shelf);
  return foundParts({
    ...frontMatterOf(source, text),
    abstract: text(abstract),
    sections: sectionsOf(running, text, text(abstract), items),
    tables,
    figures,
    equations,
    references,
  });
}

type Text = (latex: string) => string;

/** Keeps texts that LaTeX's rules do not apply to, and gives marks that stand for them. */
function newShelf() {
  const kept: string[] = [];
  return {
    keep: (text: string): string => {
      kept.push(text);
      return `\uE000${kept.length - 1}\uE001`;
    },
    restore: (text: string): string =>
      text.replace(/\uE000(\d+)\uE001/g, (_, index: string) => kept[Number(index)] ?? ''),
  };
}
type Shelf = ReturnType<typeof newShelf>;

const listings = ['verbatim', 'Verbatim', 'lstlisting', 'minted', 'alltt'];

function withoutListings(source: string, { keep }: Shelf): string {
  const blocks = environmentsOf(source, listings).map(({ start, end, body }) => {
    const code = body
      .replace(/^\s*(?:\[[^\]]*\])?(?:\{[^{}]*\})?[ \t]*\n/, '')
      .replaceAll('\\%', '%');
    return { start, end, by: `\n\n${keep(code.trim())}\n\n` };
  });
  return withReplaced(source, blocks).replace(
    /\\(?:verb|lstinline)\*?([^A-Za-z\s{*])(.*?)\1/g,
    (_, __, code: string) => keep(code.replaceAll('\\%', '%')),
  );
}

function frontMatterOf(source: string, text: Text): PaperParts {
  const printed = (latex: string): string =>
    text(latex.replace(/\\(?:footnotemark|inst)\s*(?:\[[^\]]*\]|\{[^{}]*\})?/g, ''));
  const title = usesOf(source, ['title', 'icmltitle'])[0]?.content ?? '';
  const authors = usesOf(source, ['author', 'icmlauthor']).flatMap(({ content }) =>
    content.split(/\\(?:and|And|AND)(?![A-Za-z])/),
  );
  const places = usesOf(source, ['affil', 'affiliation', 'address', 'institute', 'icmladdress']);
  // Behind the end of the line with the names stand addresses.
  const names = authors.map((author) =>
    namesIn(
      printed(
        (splitOutside(author, '\\\\')[0] ?? '').replace(
          /\$[^$]*\$|\\textsuperscript\s*\{[^{}]*\}/g,
          '',
        ),
      ),
    ),
  );
  const keywords = [
    ...usesOf(source, ['keywords', 'Keywords']).map(({ content }) => content),
    ...environmentsOf(source, ['keyword', 'keywords', 'IEEEkeywords']).map(({ body }) => body),
  ];
  return {
    title: printed(title.replace(/\\\\/g, ' ')),
    // A name that is not understood may be half of one.
    authors: names.every((one) => one !== undefined) ? names.flat() : [],
    affiliations: places
      .flatMap(({ content }) => content.split(/\\and(?![A-Za-z])/))
      .map(printed)
      .filter((place) => place !== ''),
    keywords: keywords
      .flatMap((list) => printed(list.replace(/\\(?:sep|and)(?![A-Za-z])/g, ',')).split(/[,;·]/))
      .map((keyword) => keyword.trim().replace(/\.$/, ''))
      .filter((keyword) => keyword !== ''),
  };
}

/** Without what is printed elsewhere, or in another order. */
function withoutFrontMatter(document: string): string {
  const commands = usesOf(document, [
    'title',
    'author',
    'date',
    'affil',
    'affiliation',
    'address',
    'institute',
    'keywords',
    'abstract',
  ]);
  const plain = without(document, commands);
  const parts = environmentsOf(plain, [
    'abstract',
    'keyword',
    'keywords',
    'IEEEkeywords',
    'titlepage',
    'frontmatter',
  ]);
  return withReplaced(
    plain,
    parts.map(({ start, end, name, body }) => ({
      start,
      end,
      by: name === 'frontmatter' || name === 'titlepage' ? withoutFrontMatter(body) : '',
    })),
  );
}

const figureNames = ['figure', 'wrapfigure', 'sidewaysfigure', 'SCfigure'];
const tableNames = ['table', 'wraptable', 'sidewaystable', 'threeparttable'];

/** Tables and figures, and the text without them. */
function takeFloats(document: string, text: Text) {
  const tables: TablePart[] = [];
  const figures: FigurePart[] = [];
  const floats = environmentsOf(document, [...figureNames, ...tableNames, ...tabularNames]);
  for (const float of floats) {
    const tabulars = tabularNames.includes(float.name)
      ? [document.slice(float.start, float.end)]
      : environmentsOf(float.body, tabularNames).map(({ start, end }) =>
          float.body.slice(start, end),
        );
    const captions = captionsOf(float, text);
    const isFigure = figureNames.includes(float.name);
    if (isFigure)
      figures.push(...captions.map((caption) => ({ ...nowhere, caption, number: null })));
    const count = isFigure ? 0 : Math.max(captions.length, tabulars.length);
    for (let index = 0; index < count; index += 1) {
      const tabular = tabulars[index];
      const html = tabular === undefined ? null : tabularHtml(tabular, text);
      const caption = captions[index] ?? '';
      if (html !== null || caption !== '') tables.push({ ...nowhere, caption, number: null, html });
    }
  }
  return { tables, figures, rest: without(document, floats, '\n\n') };
}

/** Those of parts of a figure, which say only `(a) before`, are left out. */
function captionsOf({ body }: Environment, text: Text): readonly string[] {
  const whole = without(body, environmentsOf(body, ['subfigure', 'subtable']));
  return usesOf(whole, ['caption']).map(({ content }) => text(content));
}

const equationNames = [
  'equation',
  'align',
  'gather',
  'multline',
  'eqnarray',
  'flalign',
  'alignat',
  'displaymath',
  'dmath',
];
/** Each row of them has a number of its own. */
const numberedRows = new Set(['align', 'gather', 'eqnarray', 'flalign', 'alignat']);

/** Displayed formulas, and the text with marks for them. */
function takeEquations(document: string, { keep }: Shelf) {
  const equations: EquationPart[] = [];
  const bracketed = document
    .replace(/\\\[([^]*?)\\\]/g, '\\begin{displaymath}$1\\end{displaymath}')
    .replace(/\$\$([^]*?)\$\$/g, '\\begin{displaymath}$1\\end{displaymath}');
  const rest = withReplaced(
    bracketed,
    environmentsOf(bracketed, equationNames).map(({ start, end, name, starred, body }) => {
      const content = name === 'alignat' ? body.replace(/^\s*\{[^{}]*\}/, '') : body;
      const isSplit = numberedRows.has(name) && !starred;
      const formulas = (isSplit ? rowsOf(content) : [content])
        .map(formulaOf)
        .filter((latex) => latex !== '');
      equations.push(...formulas.map((latex) => ({ ...nowhere, latex, number: null })));
      return { start, end, by: ` ${keep(formulas.map((latex) => `$${latex}$`).join(' '))} ` };
    }),
  );
  return { equations, rest };
}

/** A row without a number goes on in the next one. */
function rowsOf(body: string): readonly string[] {
  const rows: string[] = [];
  let open = '';
  for (const row of splitOutside(body, '\\\\')) {
    open = open === '' ? row : `${open} \\\\ ${row}`;
    if (/\\(?:nonumber|notag)\b/.test(row)) continue;
    rows.push(open);
    open = '';
  }
  return [...rows, open];
}

const formulaOf = (latex: string): string =>
  latex
    .replace(/\\label\s*\{[^{}]*\}|\\(?:nonumber|notag)\b/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const headings = [
  'part',
  'chapter',
  'section',
  'subsection',
  'subsubsection',
  'paragraph',
  'subparagraph',
];

function sectionsOf(
  running: string,
  text: Text,
  abstract: string,
  items: readonly BibItem[],
): SectionsPart {
  const used = usesOf(running, headings);
  const top = Math.min(...used.map(({ name }) => headings.indexOf(name)));
  const passages = (latex: string): readonly Passage[] =>
    latex
      .split(
        /\n[ \t]*\n|\\par(?![A-Za-z])|(?=\\item(?![A-Za-z]))|\\begin\s*\{thebibliography\}[^]*?(?:\\end\s*\{thebibliography\}|$)/,
      )
      .map((paragraph) => ({ text: text(paragraph), page: null }))
      .filter((passage) => /[\p{L}\p{N}]/u.test(passage.text));
  const opening = abstract === '' ? [] : [{ text: abstract, page: null }];
  const list: SectionPart[] = used.map(({ name, content, end }, index) => ({
    title: text(content),
    number: null,
    level: headings.indexOf(name) - top + 1,
    page: null,
    passages: passages(running.slice(end, used[index + 1]?.start)),
  }));
  if (items.length > 0) {
    const entries = items.map((item) => ({ text: text(item.text), page: null }));
    list.push({ title: 'References', number: null, level: 1, page: null, passages: entries });
  }
  return {
    opening: [...opening, ...passages(running.slice(0, used[0]?.start))],
    list: list.filter(({ title }) => title !== ''),
  };
}

const tabularNames = [
  'tabular',
  'tabularx',
  'tabulary',
  'longtable',
  'supertabular',
  'xltabular',
  'tblr',
];

const rule =
  /\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|addlinespace|noalign\s*\{[^{}]*\})(?:\s*\[[^\]]*\])?|\\(?:cline|cmidrule)(?:\s*\([^)]*\))?(?:\s*\[[^\]]*\])?\s*\{[^{}]*\}|\\rowcolors?(?:\s*\[[^\]]*\])?\s*\{[^{}]*\}/g;

/**
 * The cells of a `tabular` and its kin as `PaperTable.html`; null where it has no text. The rows above the first rule inside it
 * are headers.
 * @param text - what a cell prints
 */
export function tabularHtml(source: string, text: (latex: string) => string): string | null {
  const [table] = environmentsOf(source, tabularNames);
  if (table === undefined) return null;
  const body = withoutArguments(table.body, table.name).replace(
    /\\caption\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}/g,
    '',
  );
  const rows = splitOutside(body, '\\\\');
  const cells: TextCell[] = [];
  const open = new Map<number, number>();
  let row = 0;
  let headerRows: number | null = null;
  for (const line of rows) {
    // A long table repeats its header for further pages.
    if (/\\end(?:first)?head\b/.test(line) && headerRows !== null && /\\endhead/.test(line)) {
      const first = cells.findIndex((cell) => cell.row >= (headerRows ?? 0));
      if (first !== -1) cells.splice(first);
      row = headerRows;
    }
    if (row > 0 && headerRows === null && /\\(?:hline|midrule|endhead|endfirsthead)\b/.test(line))
      headerRows = row;
    const printed = line.replace(rule, ' ');
    if (printed.trim() === '') continue;
    let column = 0;
    for (const part of splitOutside(printed, '&')) {
      const { columns, down, content } = readCell(part);
      const value = text(content);
      const isCovered = (open.get(column) ?? 0) > row && value === '';
      if (!isCovered) {
        cells.push({
          row,
          lastRow: row + down - 1,
          column,
          lastColumn: column + columns - 1,
          text: value,
          isHeader: false,
        });
        for (let at = column; at < column + columns; at += 1) open.set(at, row + down);
      }
      column += columns;
    }
    row += 1;
  }
  if (cells.every((cell) => cell.text === '')) return null;
  return tableHtml(
    cells.map((cell) => ({
      ...cell,
      lastRow: Math.min(cell.lastRow, row - 1),
      isHeader: cell.row < (headerRows !== null && headerRows < row ? headerRows : 0),
    })),
  );
}

/** Without position, width and columns. */
function withoutArguments(body: string, name: string): string {
  let at = 0;
  const groups = /^tabular[xy]$|^xltabular$/.test(name) ? 2 : 1;
  for (let left = groups; left > 0; left -= 1) {
    at = optionAt(body, at)?.end ?? at;
    at = groupAt(body, at)?.end ?? at;
  }
  return body.slice(at);
}

function readCell(part: string): {
  readonly columns: number;
  readonly down: number;
  readonly content: string;
} {
  let [columns, down, content] = [1, 1, part];
  for (;;) {
    const [command, name] = /^\s*\\(multicolumn|multirow)\*?/.exec(content) ?? [];
    if (command === undefined) return { columns, down, content };
    const options = optionAt(content, command.length);
    const count = groupAt(content, options?.end ?? command.length);
    const between = count && optionAt(content, count.end);
    const width = count && groupAt(content, between?.end ?? count.end);
    // A width may be a star without a group.
    const star =
      count && width === null ? /^\s*\*/.exec(content.slice(count.end))?.[0].length : undefined;
    const after =
      width?.end ?? (star === undefined || count === null ? undefined : count.end + star);
    const shift = after === undefined ? null : optionAt(content, after);
    const inner = after === undefined ? null : groupAt(content, shift?.end ?? after);
    if (count === null || inner === null) return { columns, down, content };
    if (name === 'multicolumn') columns = clampSpan(count.content);
    // Rows that are counted upwards hold their text in the last one.
    else down = clampSpan(count.content);
    content = inner.content;
  }
}
