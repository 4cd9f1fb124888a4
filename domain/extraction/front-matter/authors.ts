import { sharedWidth } from '../body-print.js';
import { bottomOf } from '../boxes.js';
import type { TextLine } from '../page-content.js';
import { cellsOf, mark, squash, unmarked, type Cell } from './cells.js';
import { isDated } from './imprint.js';
import { leadingNames, namesIn } from './names.js';

export interface PrintedAuthors {
  readonly authors: readonly string[];
  readonly affiliations: readonly string[];
  /** The lines between the title and the running text that are no names, addresses or dates. */
  readonly others: readonly TextLine[];
}

/**
 * Reads the lines between the title and the running text: names in one line or many, in columns with affiliations below them, or
 * with marks that point to affiliations.
 * @param stated - the author property, believed where these lines print all of its names
 */
export function readAuthors(lines: readonly TextLine[], stated: string): PrintedAuthors {
  const cells = joinOpenLists(lines.flatMap(cellsOf).filter(({ text }) => text !== ''));
  const named = authorCells(cells);
  const printed = unique(named.flatMap(({ names }) => names));
  const authors = believe(stated, printed, lines);
  const addresses = addressesIn(
    cells,
    named.map(({ cell }) => cell),
  );
  const known = new Set(
    [...named.map(({ cell }) => cell), ...addresses.flatMap((address) => address.cells)].map(
      ({ line }) => line,
    ),
  );
  return {
    authors,
    affiliations: unique(addresses.map(({ text }) => unmarked(text).replace(/[;,]+$/, ''))),
    others: lines.filter(
      (line) => !known.has(line) && !isDated(line.text) && !isContact(line.text),
    ),
  };
}

interface NamedCell {
  readonly cell: Cell;
  readonly names: readonly string[];
}

const isContact = (text: string): boolean =>
  /@|https?:|www\.|^file:|\be-?mail\b|\b(tel|fax|phone|orcid)\b|\d{4}-\d{4}-\d{4}|\s(?:[\\/][\w.-]+){2}/i.test(
    text,
  );

/** A list that breaks within a name goes on in the next line. */
function joinOpenLists(cells: readonly Cell[]): readonly Cell[] {
  const joined: Cell[] = [];
  for (const cell of cells) {
    const before = joined.at(-1);
    const text = `${before?.text ?? ''} ${cell.text}`;
    if (
      before !== undefined &&
      isAlike(before, cell) &&
      isBelow(before, cell) &&
      /[,&]|\band\b/.test(before.text) &&
      namesIn(before.text) === undefined &&
      (namesIn(text)?.length ?? 0) > 2
    ) {
      joined[joined.length - 1] = { ...before, text };
    } else {
      joined.push(cell);
    }
  }
  return joined;
}

const isAlike = (a: Cell, b: Cell): boolean =>
  a.font === b.font && Math.abs(a.fontSize - b.fontSize) < 0.3;

/** Whether a cell stands in the line below another one, in the same column. */
function isBelow(above: Cell, cell: Cell): boolean {
  const pitch = bottomOf(cell.box) - bottomOf(above.box);
  const height = Math.max(cell.fontSize, cell.box[3], above.box[3]);
  return pitch > height * 0.4 && pitch < height * 1.75 && sharedWidth(cell.box, above.box) > 0;
}

/**
 * Names set in a font or size of their own are told by that. Otherwise each column of lines begins with its names, and goes on with
 * affiliations until a gap or the author's e-mail address.
 */
function authorCells(cells: readonly Cell[]): readonly NamedCell[] {
  const named = cells.flatMap((cell): NamedCell[] => {
    const names = isContact(cell.text) || isDated(cell.text) ? undefined : namesIn(cell.text);
    return names === undefined ? [] : [{ cell, names }];
  });
  const [first] = named;
  if (first === undefined) return [];
  const isNamed = new Set(named.map(({ cell }) => cell));
  const rest = cells.filter((cell) => !isNamed.has(cell) && isPlace(cell));
  const alike = named.filter(({ cell }) => isAlike(cell, first.cell));
  return rest.some((cell) => isAlike(cell, first.cell)) ? leading(alike, cells) : alike;
}

function leading(named: readonly NamedCell[], cells: readonly Cell[]): readonly NamedCell[] {
  const nameOf = new Map(named.map((item) => [item.cell, item]));
  const accepted: NamedCell[] = [];
  for (const [index, cell] of cells.entries()) {
    const item = nameOf.get(cell);
    if (item === undefined) continue;
    const above = cells.slice(0, index).findLast((candidate) => isBelow(candidate, cell));
    const goesOn =
      above === undefined ||
      isContact(above.text) ||
      accepted.some((other) => other.cell === above);
    if (goesOn) accepted.push(item);
  }
  return accepted;
}

const placeWords =
  /universi|institut|depart|dept|school|college|facult|fakult|laborat|\blabs?\b|cent(er|re)\b|academ|hospital|research|corporation|\binc\b|\bltd\b|gmbh|hochschule|polytech|\b(usa|uk|u\.s\.a|germany|austria|switzerland|france|italy|spain|canada|australia|netherlands|belgium|denmark|sweden|norway|finland|japan|china|india|brazil)\b|大[学學]|[学學]院|研究[所院室]|公司|[实實]验室|[医醫]院|株式会社|\d{4,}/i;

/** Whether a text names an institution or a place. */
export const namesPlace = (text: string): boolean => placeWords.test(text);

const isPlace = ({ text }: Cell): boolean => !isContact(text) && !isDated(text) && namesPlace(text);

/** Lines of one address below each other. */
interface Address {
  text: string;
  readonly cells: Cell[];
}

/** Addresses name a place, stand right below a name or follow a mark. A mark begins another address. */
function addressesIn(cells: readonly Cell[], authors: readonly Cell[]): readonly Address[] {
  const addresses: Address[] = [];
  for (const cell of cells) {
    if (authors.includes(cell) || isContact(cell.text) || isDated(cell.text)) continue;
    const [head = '', ...marked] = cell.text.split(mark).map((text) => text.trim());
    const above = addresses.findLast(
      ({ cells: lines }) => lines.at(-1) !== undefined && isNext(lines.at(-1), cell),
    );
    if (above !== undefined && head !== '') {
      above.text = joinAddress(above.text, head);
      above.cells.push(cell);
    } else if (head !== '') {
      addresses.push({ text: head, cells: [cell] });
    }
    addresses.push(...marked.map((text) => ({ text, cells: [cell] })));
  }
  return addresses.filter(
    ({ text, cells: [first] }) =>
      placeWords.test(text) ||
      (first !== undefined &&
        (first.text.includes(mark) || authors.some((author) => isBelow(author, first)))),
  );
}

const isNext = (above: Cell | undefined, cell: Cell): boolean =>
  above !== undefined && isBelow(above, cell) && isAlike(above, cell);

function joinAddress(first: string, next: string): string {
  if (first.endsWith('\u00AD')) return first.slice(0, -1) + next;
  const goesOn = /[,;&]$|\b(of|and|for|de|für|the)$/i.test(first) || /^(\p{Ll}|&)/u.test(next);
  return goesOn ? `${first} ${next}` : `${first}, ${next}`;
}

/** The property may name fewer authors than the page, or people that the page does not name. */
function believe(
  stated: string,
  printed: readonly string[],
  lines: readonly TextLine[],
): readonly string[] {
  const property = leadingNames(stated);
  const page = squash(lines.map(({ text }) => text).join(' '));
  const isPrinted = property.every((name) => page.includes(squash(name)));
  if (property.length === 0 || !isPrinted || property.length < printed.length) return printed;
  const inPrint = (name: string): number => page.indexOf(squash(name));
  return [...property].sort((a, b) => inPrint(a) - inPrint(b));
}

const unique = (texts: readonly string[]): readonly string[] => [
  ...new Map(texts.filter((text) => text !== '').map((text) => [squash(text), text])).values(),
];
