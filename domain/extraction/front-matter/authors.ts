import { sharedWidth } from '../lines.js';
import { isWellKnown } from '../headings/section-number.js';
import { bottomOf, type TextLine } from '../page-content.js';
import { cellsOf, mark, squash, unmarked, type Cell } from './cells.js';
import { isDated } from './imprint.js';

interface PrintedAuthors {
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

/** Lower-case words within names. */
const particles = new Set(
  'van von der den de di da del della la le du dos das do ter ten af al el bin ibn y e zu zum zur vom'.split(
    ' ',
  ),
);

const degree = /^(ph\.?d|m\.?sc|b\.?sc|dr|prof|professor|mr|mrs|ms|fellow|member|ieee)\.?$/i;
const suffix = /^(jr|sr|ii|iii|iv)\.?$/i;
const initials = /^\p{Lu}\p{Ll}?\.?(-?\p{Lu}\.?){0,3}$/u;
const capitalised = /^(\p{Ll}{1,3}['’])?(\p{Lu}|\p{Lt})[\p{L}\p{M}'’‘`´.-]*$/u;

/** Words of institutions, places, documents and sentences, which no name of a person has. */
const notInNames = new RegExp(
  `^(${[
    'universi\\p{L}*|univ|institut\\p{L}*|department|dept|d[ée]partement|school|college|facult\\p{L}*|fakult\\p{L}*|laborator\\p{L}*|labs?|cent(er|re|ro|rum)|academy|hospital|clinic|ministry|bank|office|agency|bureau|foundation|organi[sz]ation|association|society|council|corporation|corp|company|inc|ltd|llc|gmbh|ag|associates|research|statistics?|mathematics?|physics|biology|ecology|economics|engineering|informatics?|computer|computing|science[s]?|sciences|technolog\\p{L}*|technical|technische|hochschule|wirtschafts\\p{L}*|polytechnic\\p{L}*|national|international|royal|federal|state|division|unit|program(me)?|group|team|project|consortium|collaboration',
    'url|usa|uk|germany|austria|switzerland|france|italy|spain|canada|australia|netherlands|belgium|denmark|sweden|norway|finland|japan|china|india|brazil|portugal|kingdom|states|street|avenue|province',
    'version|draft|vignette|package|introduction|abstract|summary|contents|keywords?|appendix|figure|table|chapter|section|part|preprint|manual|guide|tutorial|notes?|report|reference|journal|proceedings|volume|issue|license[d]?|copyright|dated?|updated?|revised|received|accepted|published|submitted|email|e-mail|http|corresponding|author[s]?|data|model[s]?|analysis|using|with',
    'the|an|of|in|for|and|on|to|by|from|at|is|are|this|that|und|für|et|des',
  ].join('|')})[.:]?$`,
  'iu',
);

/** A name of two to six words, e.g. `Mark A. van de Wiel`. */
function isPersonName(text: string): boolean {
  if (
    /^\p{Script=Han}{2,4}$|^\p{Script=Han}{1,3}[ \u3000](?:\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}){1,4}$/u.test(
      text,
    )
  )
    return !isWellKnown(text);
  const words = text.split(' ');
  if (words.length < 2 || words.length > 6) return false;
  return (
    words.every((word) => isNameWord(word)) &&
    words.some((word) => /\p{L}{2}/u.test(word) && capitalised.test(word)) &&
    !particles.has(words.at(-1) ?? '')
  );
}

const isNameWord = (word: string): boolean =>
  !notInNames.test(word) &&
  (particles.has(word) || suffix.test(word) || initials.test(word) || capitalised.test(word));

/** An author that is no person, e.g. `R Core Team`. */
const isGroupName = (text: string): boolean =>
  /^.{2,60}\s(team|group|consortium|collaboration|project|developers|contributors|maintainers|authors|initiative)$/i.test(
    text,
  ) && text.split(' ').length <= 6;

const isName = (text: string): boolean => isPersonName(text) || isGroupName(text);

/** What comes after the last name. */
const others = /^(others?|et al\.?|et\.? al\.?|the .*|many others)$/i;

/**
 * The names of a list with commas, semicolons, `and`, `&` or marks between them. Undefined if any part is something else.
 * @param text - with `mark` for marks
 */
export function namesIn(text: string): readonly string[] | undefined {
  const parts = partsOf(text);
  const names = parts.length === 1 ? parts : parts.filter((part) => !others.test(part));
  return names.length > 0 && names.every(isName) ? names : undefined;
}

/** The first names of a list that goes on with something else, e.g. in the author property. */
export function leadingNames(text: string): readonly string[] {
  const parts = partsOf(text);
  const end = parts.findIndex((part) => !isName(part));
  return end === -1 ? parts : parts.slice(0, end);
}

const introduction = /^(written |edited |compiled )?(by|authors?|maintainer)\s*:?\s+/i;

/** Chinese names stand apart by a space, within which Japanese ones have one. These are the surnames of most Chinese people. */
const surname =
  '[王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林高罗羅郑鄭梁谢謝宋唐许許韩韓邓鄧冯馮曹彭曾肖田董潘袁蔡蒋蔣余于杜叶葉程魏苏蘇吕呂丁任卢盧姚沈钟鍾姜崔谭譚陆陸范汪廖石金韦韋贾賈夏付方邹鄒熊白孟秦邱侯江尹薛闫雷龙龍史陶贺賀顾顧毛郝龚龔邵万萬覃武钱錢戴莫孔向汤湯]';
const betweenChinese = new RegExp(
  `(?<=(?:^|[\\s,，、])${surname}\\p{Script=Han}{1,2})[ \\u3000]+(?=${surname}\\p{Script=Han}{1,2}(?![\\p{Script=Han}]))`,
  'gu',
);

const partsOf = (text: string): readonly string[] =>
  text
    .replace(betweenChinese, mark)
    .replace(introduction, '')
    .replace(/\([^()]*\)|<[^<>]*>/g, mark)
    .replace(/,\s*(?=(jr|sr|ii|iii)\b)/gi, ' ')
    .split(
      new RegExp(
        `\\s*[,;·•|，、；・]\\s*(?:(?:and|AND|&)\\s+)?|(?:^|\\s+)(?:and|AND|und|et|y|e|&)\\s+|\\s+(?:and|&)$|${mark}`,
        'u',
      ),
    )
    .map((part) =>
      unmarked(part)
        .split(' ')
        .filter((word) => !degree.test(word))
        .join(' ')
        .replace(/^[^\p{L}]+|[^\p{L}.]+$/gu, ''),
    )
    .filter((part) => part !== '');
