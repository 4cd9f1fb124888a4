import { Parser } from 'htmlparser2';
import { unionOf, type Box } from '../page-content.js';
import { labelOf } from '../captions.js';
import { tableHtml, type TextCell } from '../tables/table-html.js';
import { clampSpan } from './html-table.js';
import {
  boxOnPage,
  foundParts,
  nowhere,
  UnexpectedDocument,
  type FigurePart,
  type PageSize,
  type PaperParts,
  type PartPlace,
  type Passage,
  type ReferencePart,
  type SectionPart,
  type SectionsPart,
  type TablePart,
} from './paper-parts.js';
import { readReferences } from '../references/reference-list.js';

/**
 * What GROBID finds in a paper, from the TEI of its service `processFulltextDocument` (https://grobid.readthedocs.io). Its
 * formulas are characters without structure, so it gives no equations. Throws UnexpectedDocument for another document.
 * @param pages - of the PDF
 */
export function readGrobidTei(tei: string, pages: readonly PageSize[]): PaperParts {
  const root = readXml(tei);
  const header = firstAt(root, 'teiHeader');
  const body = firstAt(root, 'text', 'body');
  if (root.name !== 'TEI' || header === undefined || body === undefined) {
    throw new UnexpectedDocument('is no TEI document of GROBID');
  }
  const placeOf = placesOn(pages, surfacesOf(root));
  const back = firstAt(root, 'text', 'back');
  const references = (back === undefined ? [] : within(back, 'biblStruct')).flatMap((entry) =>
    referenceOf(entry, placeOf),
  );
  const figures = allAt(body, 'figure');
  return foundParts({
    ...frontMatterOf(header),
    sections: sectionsOf(header, body, back, references, placeOf),
    tables: figures.filter(isTable).map((figure) => tableOf(figure, placeOf)),
    figures: figures.filter((figure) => !isTable(figure)).map((one) => figureOf(one, placeOf)),
    references,
  });
}

type PlaceOf = (element: XmlElement | undefined) => PartPlace;

/** The sizes of the pages as GROBID measures them, by page number. */
const surfacesOf = (root: XmlElement): ReadonlyMap<number, readonly [number, number]> =>
  new Map(
    allAt(root, 'facsimile', 'surface').map(({ attributes: { n, lrx, lry } }) => [
      Number(n),
      [Number(lrx), Number(lry)],
    ]),
  );

/** `coords` are boxes `page,x,y,width,height` in points from the top left, with `;` between them, one for each line. */
function placesOn(pages: readonly PageSize[], surfaces: ReturnType<typeof surfacesOf>): PlaceOf {
  return (element) => {
    const boxes = (element?.attributes['coords'] ?? '')
      .split(';')
      .map((box) => box.split(',').map(Number))
      .filter((numbers) => numbers.length === 5 && numbers.every(Number.isFinite));
    const page = boxes[0]?.[0];
    const size = page === undefined ? undefined : pages[page - 1];
    if (page === undefined || size === undefined) return nowhere;
    const onPage = boxes.flatMap(([at, x = 0, y = 0, width = 0, height = 0]): Box[] =>
      at === page ? [[x, y, width, height]] : [],
    );
    const from = surfaces.get(page) ?? [size.width, size.height];
    return { page, box: boxOnPage(unionOf(onPage), from, size) };
  };
}

function frontMatterOf(header: XmlElement): PaperParts {
  const record = firstAt(header, 'fileDesc', 'sourceDesc', 'biblStruct');
  const published = firstAt(header, 'fileDesc', 'publicationStmt', 'date')?.attributes['when'];
  if (record === undefined) return {};
  const authors = allAt(record, 'analytic', 'author');
  const imprint = firstAt(record, 'monogr', 'imprint', 'date')?.attributes['when'];
  const terms = within(header, 'keywords').flatMap((keywords) => allAt(keywords, 'term'));
  return {
    title: textIn(firstAt(header, 'fileDesc', 'titleStmt', 'title')),
    authors: authors.map(personName).filter((name) => name !== ''),
    affiliations: [...new Set(authors.flatMap(affiliationsOf))],
    abstract: abstractOf(header)
      .map(({ text }) => text)
      .join('\n'),
    keywords: terms.map(textIn).filter((term) => term !== ''),
    year: Number(/^\d{4}/.exec(published ?? imprint ?? '')?.[0] ?? 0) || null,
    venue: textIn(firstAt(record, 'monogr', 'title')),
    doi: textIn(allAt(record, 'idno').find(({ attributes }) => attributes['type'] === 'DOI')),
  };
}

/** `Ada B. Lovelace` of an `author`. */
function personName(author: XmlElement): string {
  const name = firstAt(author, 'persName');
  if (name === undefined) return '';
  const given = allAt(name, 'forename').map(textIn);
  return [...given, textIn(firstAt(name, 'surname')), textIn(firstAt(name, 'genName'))]
    .filter((part) => part !== '')
    .join(' ');
}

/** From the inside out: department, institution, town, country. */
const affiliationsOf = (author: XmlElement): readonly string[] =>
  allAt(author, 'affiliation')
    .map((affiliation) =>
      [...allAt(affiliation, 'orgName'), ...allAt(affiliation, 'address').flatMap(elementsIn)]
        .map(textIn)
        .filter((part) => part !== '')
        .join(', '),
    )
    .filter((affiliation) => affiliation !== '');

const abstractOf = (header: XmlElement): readonly Passage[] =>
  within(header, 'abstract')
    .flatMap((abstract) => within(abstract, 'p'))
    .map((paragraph) => ({ text: textIn(paragraph), page: null }))
    .filter(({ text }) => text !== '');

function sectionsOf(
  header: XmlElement,
  body: XmlElement,
  back: XmlElement | undefined,
  references: readonly (PartPlace & { readonly text: string })[],
  placeOf: PlaceOf,
): SectionsPart {
  const opening = [...abstractOf(header)];
  const list: (SectionPart & { readonly passages: Passage[] })[] = [];
  const divisions = [
    ...allAt(body, 'div'),
    // Acknowledgements, funding, annex: a division of a kind with those of the paper in it.
    ...(back === undefined ? [] : allAt(back, 'div').flatMap((kind) => allAt(kind, 'div'))),
  ];
  for (const division of divisions) {
    const head = firstAt(division, 'head');
    const title = textIn(head);
    const passages = elementsIn(division)
      .filter(({ name }) => name === 'p' || name === 'formula' || name === 'list')
      .map((part) => ({ text: textIn(part), page: placeOf(part).page }))
      .filter(({ text }) => text !== '');
    if (title === '') {
      // The text goes on behind a formula, a figure or a page.
      (list.at(-1)?.passages ?? opening).push(...passages);
      continue;
    }
    const number = (head?.attributes['n'] ?? '').replace(/\.+$/, '');
    list.push({
      title,
      number: number === '' ? null : number,
      level: number === '' ? null : number.split('.').length,
      page: placeOf(head).page,
      passages,
    });
  }
  // TEI has the list outside the text; papers print it as a section.
  if (references.length > 0) {
    list.push({
      title: 'References',
      number: null,
      level: 1,
      page: null,
      passages: [...references],
    });
  }
  return { opening, list };
}

const isTable = ({ attributes }: XmlElement): boolean => attributes['type'] === 'table';

/** `Table 2 . Accuracy by model.` of a head `Table 2 .` and its description. */
function captionOf(figure: XmlElement): Pick<FigurePart, 'caption' | 'number'> {
  const [head, description] = [textIn(firstAt(figure, 'head')), textIn(firstAt(figure, 'figDesc'))];
  const caption = `${head} ${description}`.replace(/\s+(?=[.:,;])/g, '').trim();
  return {
    caption,
    number: labelOf(caption)?.number ?? (textIn(firstAt(figure, 'label')) || null),
  };
}

function figureOf(figure: XmlElement, placeOf: PlaceOf): FigurePart {
  const drawn = placeOf(firstAt(figure, 'graphic'));
  return { ...captionOf(figure), ...(drawn.page === null ? placeOf(figure) : drawn) };
}

function tableOf(figure: XmlElement, placeOf: PlaceOf): TablePart {
  const table = firstAt(figure, 'table');
  const printed = placeOf(table);
  const cells = (table === undefined ? [] : allAt(table, 'row')).flatMap(cellsOfRow);
  return {
    ...captionOf(figure),
    html: cells.some(({ text }) => text !== '') ? tableHtml(cells) : null,
    ...(printed.page === null ? placeOf(figure) : printed),
  };
}

function cellsOfRow(row: XmlElement, index: number): readonly TextCell[] {
  let column = 0;
  return allAt(row, 'cell').map((cell) => {
    const first = column;
    column += clampSpan(cell.attributes['cols']);
    return {
      row: index,
      lastRow: index,
      column: first,
      lastColumn: column - 1,
      text: textIn(cell),
      isHeader: false,
    };
  });
}

/** As GROBID reads it, with the text as printed; without that, the text is put together. */
function referenceOf(entry: XmlElement, placeOf: PlaceOf): readonly ReferencePart[] {
  const [article, book] = [firstAt(entry, 'analytic'), firstAt(entry, 'monogr')];
  const authors = [article, book]
    .flatMap((part) => (part === undefined ? [] : allAt(part, 'author')))
    .map(personName)
    .filter((name) => name !== '');
  const titles = [article, book].map((part) => textIn(part && firstAt(part, 'title')));
  const date = book && firstAt(book, 'imprint', 'date');
  const year = /\d{4}/.exec(date?.attributes['when'] ?? textIn(date))?.[0];
  const raw = allAt(entry, 'note').find(({ attributes }) => attributes['type'] === 'raw_reference');
  const parts = [authors.join(', '), ...titles, year ?? ''].filter((part) => part !== '');
  const text = textIn(raw) || parts.join('. ');
  return readReferences([{ text, ...placeOf(entry) }]).map((reference) => ({
    ...reference,
    authors,
    year: year === undefined ? reference.year : Number(year),
    title: titles.find((title) => title !== '') ?? null,
  }));
}

interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

/** Documents of parsers nest about ten elements. */
const deepest = 200;

/**
 * The root element of an XML text. Entities of a document type are not expanded, and nothing is fetched.
 * Throws UnexpectedDocument if an element is not closed, e.g. because the text is cut off.
 */
function readXml(xml: string): XmlElement {
  const root: Open = { name: '', attributes: {}, children: [] };
  const open: Open[] = [root];
  const faults: string[] = [];
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        const element: Open = { name, attributes, children: [] };
        open.at(-1)?.children.push(element);
        open.push(element);
        if (open.length > deepest) faults.push(`nests more than ${deepest} elements`);
      },
      ontext: (text) => {
        open.at(-1)?.children.push(text);
      },
      onclosetag: (name, implied) => {
        open.pop();
        // A tag that closes itself counts as implied too.
        const isClosed = !implied || xml[parser.endIndex - 1] === '/';
        if (!isClosed) faults.push(`does not close the element ${name}`);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  const element = root.children.find((child) => typeof child !== 'string');
  if (element === undefined) throw new UnexpectedDocument('is no XML');
  const [fault] = faults;
  if (fault !== undefined) throw new UnexpectedDocument(`is broken XML: it ${fault}`);
  return element;
}

interface Open extends XmlElement {
  readonly children: (XmlElement | string)[];
}

const elementsIn = ({ children }: XmlElement): readonly XmlElement[] =>
  children.filter((child) => typeof child !== 'string');

/** The elements at a path of names below an element. */
function allAt(element: XmlElement, ...path: readonly string[]): readonly XmlElement[] {
  return path.reduce<readonly XmlElement[]>(
    (found, name) => found.flatMap((one) => elementsIn(one).filter((child) => child.name === name)),
    [element],
  );
}

const firstAt = (element: XmlElement, ...path: readonly string[]): XmlElement | undefined =>
  allAt(element, ...path)[0];

/** All elements of a name below an element, in document order; none inside another one. */
const within = (element: XmlElement, name: string): readonly XmlElement[] =>
  elementsIn(element).flatMap((child) => (child.name === name ? [child] : within(child, name)));

/** The text of an element on one line; empty for none. */
const textIn = (element: XmlElement | undefined): string =>
  element === undefined ? '' : rawText(element).replace(/\s+/g, ' ').trim();

const rawText = ({ children }: XmlElement): string =>
  children.map((child) => (typeof child === 'string' ? child : rawText(child))).join('');
