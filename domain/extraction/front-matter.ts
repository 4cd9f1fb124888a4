import { groupNeighbours } from '../statistics/means.js';
import { bodyPrint, sharedWidth } from './lines.js';
import { readAuthors, leadingNames } from './front-matter/authors.js';
import { cellsOf, squash, unmarked } from './front-matter/cells.js';
import { isDated, readImprint, namesAnIssue } from './front-matter/imprint.js';
import { abstractWords } from './headings/section-number.js';
import { bottomOf, type PageContent, type PdfContent, type TextLine } from './page-content.js';
import type { FrontMatter } from './paper.js';
import { closed } from './text.js';

// cspell:ignore chave chiave einf einleitung hrung introdu introducci introduzione palabras palavras rter schl schlagw sselw

interface FoundFrontMatter {
  readonly frontMatter: FrontMatter;
  /** The lines of title, names, affiliations and dates; not those of the abstract. */
  readonly lines: readonly TextLine[];
}

/** So many pages show the size of the running text. */
const firstPages = 6;

/** What the first pages say about the paper. A document property counts where page 1 prints it, or has no text. */
export function findFrontMatter(content: PdfContent): FoundFrontMatter {
  const { properties, pages } = content;
  const bodySize = bodyPrint({ ...content, pages: pages.slice(0, firstPages) }).fontSize;
  const page = titlePage(pages);
  const { abstract, keywords } = readAbstract(pages);
  const title = page && findTitle(page, properties.title, bodySize);
  const block = page === undefined || title === undefined ? [] : blockBelow(page, title.lines);
  const printed = readAuthors(block, properties.author);
  const isNaming = ({ text }: TextLine): boolean =>
    printed.authors.some((name) => squash(text).includes(squash(name)));
  const unnamed = printed.others.filter((line) => !isNaming(line));
  const subtitle = title?.subtitle ?? subtitleIn(title?.lines ?? [], unnamed, bodySize);
  const outside = page === undefined ? [] : outsideText(page, block);
  const stated = page === undefined ? properties : { title: '', author: '' };
  return {
    frontMatter: {
      title: title
        ? whole(title.title, subtitle)
        : meaningful(stated.title)
          ? stated.title.trim()
          : null,
      subtitle,
      authors: page === undefined ? [...leadingNames(stated.author)] : [...printed.authors],
      affiliations: [...printed.affiliations],
      abstract,
      keywords: keywords.length > 0 ? [...keywords] : statedKeywords(properties.keywords),
      ...readImprint(page, outside),
    },
    lines: [...(title?.lines ?? []), ...block],
  };
}

/** Page 1, or page 2 behind a cover without text; undefined if the text of that page cannot be used. */
function titlePage(pages: readonly PageContent[]): PageContent | undefined {
  const page = pages.slice(0, 2).find(({ lines }) => lines.some(hasWord));
  return page?.unusable === null ? page : undefined;
}

const hasWord = ({ text }: TextLine): boolean => /\p{L}{2}/u.test(text);

/** A title with its subtitle, with a colon between them unless a mark ends the title. */
const whole = (title: string, subtitle: string | null): string =>
  subtitle === null ? title : `${title}${/[\p{L}\p{N})]$/u.test(title) ? ':' : ''} ${subtitle}`;

/** Default values that programs write into the title property. */
const meaningless =
  /^(untitled.*|document\d*|microsoft word.*|powerpoint.*|.*\.(docx?|tex|dvi|pdf|ps|indd|typ)|arxiv:.*|title|paper)$/i;

const meaningful = (title: string): boolean =>
  /\p{L}.*\p{L}/u.test(title) && !meaningless.test(title.trim());

/** The lines below the title, up to the running text. A layer may begin with the foot of its page. */
function blockBelow(page: PageContent, title: readonly TextLine[]): readonly TextLine[] {
  const bottom = Math.max(...title.map(({ box: [, y] }) => y));
  const start = page.lines.findIndex((line) => title.includes(line));
  const lines = page.lines
    .filter(({ upright, box: [, y] }, at) => upright && (at > start || y < page.height * footShare))
    .filter((line) => !title.includes(line));
  const below = lines.slice(lines.findIndex(({ box: [, y] }) => y > bottom));
  const end = below.findIndex((line) => startsText(line) || isProse(line.text));
  return (end === -1 ? below : below.slice(0, end)).filter(({ box: [, y] }) => y > bottom);
}

/** A sentence has verbs, articles and mostly small letters; an address has not. */
function isProse(text: string): boolean {
  const words = text.split(' ');
  const small = words.filter((word) => /^\p{Ll}/u.test(word)).length;
  const ofSentences = words.filter((word) => sentenceWord.test(word)).length;
  return (
    words.length >= 8 &&
    small >= words.length / 2 &&
    ofSentences >= 2 &&
    !isDated(text) &&
    !text.includes('@') &&
    leadingNames(text).length < 2
  );
}

const sentenceWord =
  /^(the|this|that|these|is|are|was|were|be|been|we|it|which|who|has|have|can|a|an|to|in|with|by|as|how)$/i;

/** Lines right below the title in larger type than the running text that are no names, addresses or dates. */
function subtitleIn(
  title: readonly TextLine[],
  others: readonly TextLine[],
  bodySize: number,
): string | null {
  const lines: TextLine[] = [];
  let above = title.at(-1);
  for (const line of others) {
    const gap = line.box[1] - (above === undefined ? 0 : bottomOf(above.box));
    const near = gap > -line.fontSize && gap < 2 * line.fontSize;
    if (!near || line.fontSize < bodySize * 1.05 || !hasWord(line)) break;
    lines.push(line);
    above = line;
  }
  const text = lines.map((line) => line.text).join(' ');
  // One word may be a name.
  return lines.length > 3 || !/\s|\p{Lo}/u.test(text) ? null : text;
}

/** The lines above the running text and those at the foot of the page. */
function outsideText(page: PageContent, block: readonly TextLine[]): readonly TextLine[] {
  const end = Math.max(0, ...block.map(({ box: [, y] }) => y));
  const head = page.lines.filter(({ box: [, y] }) => y <= end || y < page.height * headShare);
  const foot = page.lines.filter(({ box: [, y] }) => y > page.height * footShare);
  return [...new Set([...head, ...foot])];
}

/** Where running heads and feet end, as shares of the height of a page. */
const headShare = 0.1;
const footShare = 0.88;

const statedKeywords = (stated: string): string[] =>
  stated
    .split(/[;,]/)
    .map((keyword) => keyword.trim())
    .filter((keyword) => keyword !== '');

interface PrintedAbstract {
  readonly abstract: string | null;
  readonly keywords: readonly string[];
}

/** Alone on its line, or before the text. */
const abstractStart = new RegExp(
  `^[[【〔]?(?:summary|${abstractWords})[\\]】〕]?\\s*(?:[.:：—–-]\\s*|$)|^[[【〔](?:${abstractWords})[\\]】〕]|^(?:abstract\\s+(?=\\p{Lu})|(?:${abstractWords})\\s+(?=\\p{Lo}))`,
  'iu',
);
const keywordsStart =
  /^[[【〔]?(?:key\s?-?words?(?: and phrases)?|index terms|schl(?:ü|ue)sselw(?:ö|oe)rter|schlagw(?:ö|oe)rter|mots[- ]cl[ée]s|palabras[- ]clave|palavras[- ]chave|parole chiave|[关關][键鍵][词詞字]|キーワード)[\]】〕]?\s*(?:[.:：—–-]\s*|$|(?<=[\]】〕]))/iu;
const afterAbstract =
  /^(?:(?:\d{1,2}|[IVX]+)[.．、]?\s*(?:\s\p{Lu}|\p{Lo}).{0,80}|[一壹第].{1,20}|introduction|einleitung|einf(?:ü|ue)hrung|introducci[óo]n|introdu[çc][ãa]o|introduzione|引\s*言|[绪緒]\s*[论論言]|序\s*[论論言]|前\s*言|はじめに|contents|table of contents|ccs concepts|categories and subject.*|general terms|jel.*|(?:ams|msc|mathematics subject).*|acm reference.*|motivation|references|abstract)\W*$/iu;

/** Whether a line begins the running text of a paper or its abstract, so that names and addresses end above it. */
const startsText = (line: TextLine): boolean => {
  const text = cellsOf(line)
    .map((cell) => cell.text)
    .join(' ');
  return (
    abstractStart.test(text) ||
    keywordsStart.test(text) ||
    (afterAbstract.test(text) && !/^([2-9]|1\d|[A-HJ-Z]|II)/.test(text))
  );
};

/** The abstract and the keywords on the first two pages. */
function readAbstract(pages: readonly PageContent[]): PrintedAbstract {
  const lines = pages.slice(0, 2).flatMap((page) => page.lines.filter(({ upright }) => upright));
  const start = lines.findIndex(({ text }) => abstractStart.test(text));
  const heading = lines[start];
  const own = heading?.text.replace(abstractStart, '') ?? '';
  const following = start === -1 ? [] : lines.slice(start + 1);
  const body = heading !== undefined && own !== '' ? heading : following[0];
  const end = following.findIndex((line, index) => ends(line, following[index - 1], body));
  const under = end === -1 ? [] : following.slice(0, end);
  const text = closed([own, ...under.map((line) => line.text)].join(' ')).trim();
  return { abstract: text === '' ? null : text, keywords: readKeywords(lines) };
}

/** A heading, another size of type, or an empty space ends an abstract. */
function ends(line: TextLine, before: TextLine | undefined, body: TextLine | undefined): boolean {
  if (keywordsStart.test(line.text) || afterAbstract.test(line.text)) return true;
  if (body === undefined || line === body) return false;
  const size = Math.abs(line.fontSize - body.fontSize) > 0.06 * body.fontSize;
  const gap = before === undefined ? 0 : line.box[1] - before.box[1];
  return (size && line.text.length > 3) || gap > 3.2 * body.fontSize;
}

function readKeywords(lines: readonly TextLine[]): readonly string[] {
  const start = lines.findIndex(({ text }) => keywordsStart.test(text));
  const first = lines[start];
  if (first === undefined) return [];
  const own = first.text.replace(keywordsStart, '');
  const following = lines.slice(start + 1, start + 1 + mostKeywordLines);
  const end = following.findIndex((line, index) => {
    const before = following[index - 1] ?? first;
    const pitch = line.box[1] - before.box[1];
    return (
      startsText(line) ||
      pitch > 1.9 * line.fontSize ||
      pitch < -line.fontSize ||
      Math.abs(line.fontSize - first.fontSize) > 0.06 * first.fontSize ||
      (before.text.endsWith('.') && (before !== first || own !== ''))
    );
  });
  const rest = end === -1 ? following : following.slice(0, end);
  const text =
    [own, ...rest.map((line) => line.text)].join(' ').split(afterKeywords)[0]?.trim() ?? '';
  const separator = /[;；]/.test(text) ? /[;；]/ : /[,，、•·|]| - | [–—] /;
  return text
    .split(separator)
    .map((keyword) => unmarked(keyword).replace(/\.$/, ''))
    .filter((keyword) => /[\p{L}\p{N}]/u.test(keyword));
}

const mostKeywordLines = 6;
/** Numbers of classifications, which Chinese papers print behind the keywords. */
const afterKeywords =
  /(?:^|[\s[【])(?:中[图圖]分[类類][号號]|文[献獻][标標][识識志誌][码碼]|文章[编編][号號]|DOI[:：])/iu;

interface PrintedTitle {
  readonly title: string;
  readonly subtitle: string | null;
  /** The lines of both. */
  readonly lines: readonly TextLine[];
}

/** Lines in one size below each other. */
interface Block {
  readonly lines: readonly TextLine[];
  readonly fontSize: number;
}

/**
 * The title as a page prints it: what the title property says if the page prints that, else the block in the largest font.
 * @param bodySize - the font size of the running text
 */
function findTitle(page: PageContent, stated: string, bodySize: number): PrintedTitle | undefined {
  const lines = page.lines.filter(({ upright, text }) => upright && /[\p{L}\p{N}]/u.test(text));
  const blocks = blocksOf(lines);
  const found = findStated(blocks, stated, bodySize) ?? findLargest(blocks, page, bodySize);
  return found && lostLetters(found.title, stated) ? { ...found, title: tidy(stated) } : found;
}

/** Whether a print differs from what is stated only by letters that it lost, as some fonts do not say what their glyphs mean. */
function lostLetters(printed: string, stated: string): boolean {
  const [found, wanted] = [squash(printed), squash(stated)];
  let at = 0;
  for (const letter of wanted) if (letter === found[at]) at += 1;
  return at === found.length && found.length < wanted.length && found.length > 0.75 * wanted.length;
}

/** Of titles, sizes that differ less are equal. A part of a title may be set in another font. */
const sameSize = (a: number, b: number): boolean => Math.abs(a - b) <= 0.04 * Math.max(a, b);

/** Line pitch of titles, in font sizes. */
const widestPitch = 1.75;

const blocksOf = (lines: readonly TextLine[]): readonly Block[] =>
  groupNeighbours(lines, goesOn).map((block) => ({
    lines: block,
    fontSize: block[0]?.fontSize ?? 0,
  }));

function goesOn(line: TextLine, before: TextLine): boolean {
  const pitch = bottomOf(line.box) - bottomOf(before.box);
  const height = Math.max(line.fontSize, before.fontSize, line.box[3], before.box[3]);
  const beside = Math.abs(pitch) < height * 0.4;
  return (
    sameSize(line.fontSize, before.fontSize) &&
    pitch < widestPitch * height &&
    (beside || (pitch > 0 && sharedWidth(line.box, before.box) > 0))
  );
}

/** The longest title in blocks. */
const mostLines = 7;

function findStated(
  blocks: readonly Block[],
  stated: string,
  bodySize: number,
): PrintedTitle | undefined {
  const wanted = squash(stated);
  if (!/\p{L}.*\p{L}/u.test(wanted) || wanted.length < 4) return undefined;
  const lines = blocks.flatMap((block) => block.lines);
  for (const [start, first] of lines.entries()) {
    if (first.fontSize < bodySize * 0.95) continue;
    for (let count = 1; count <= mostLines; count += 1) {
      const printed = lines.slice(start, start + count);
      const text = squash(plain(printed));
      if (text === wanted) {
        const block = blocks.find((candidate) => candidate.lines.includes(first));
        const rest = block?.lines.slice(block.lines.indexOf(first) + count) ?? [];
        const goesOnAsTitle = first.fontSize > bodySize * largerThanBody ? rest : [];
        return {
          title: tidy(stated),
          subtitle: goesOnAsTitle.length === 0 ? null : plain(goesOnAsTitle),
          lines: [...printed, ...goesOnAsTitle],
        };
      }
      if (!wanted.startsWith(text)) break;
    }
  }
  return undefined;
}

/** Titles are larger than the running text by at least this factor, if they are larger at all. */
const largerThanBody = 1.12;

/** So many blocks in one size are labels of a drawing rather than titles. */
const asManyAsLabels = 4;

const headings =
  /^(abstract|summary|contents|table of contents|introduction|(1|I)\.?\s+\p{L}.*|references|outline|overview)\W*$/iu;

function findLargest(
  blocks: readonly Block[],
  page: PageContent,
  bodySize: number,
): PrintedTitle | undefined {
  const firstHeading = blocks.findIndex(startsWithHeading);
  const above = firstHeading < 1 ? blocks : blocks.slice(0, firstHeading);
  // Below a heading, what is set like it is a heading, too.
  const heading = firstHeading === 0 ? blocks[0] : undefined;
  const candidates = above.filter(
    (block) =>
      hasWords(block.lines) &&
      !isMasthead(block, above) &&
      !startsWithHeading(block) &&
      !(heading && isSetLike(block, heading)),
  );
  const large = candidates.filter(
    ({ fontSize }) =>
      fontSize > bodySize * largerThanBody &&
      candidates.filter((other) => sameSize(other.fontSize, fontSize)).length < asManyAsLabels,
  );
  const largest = Math.max(0, ...large.map(({ fontSize }) => fontSize));
  const block =
    large.find(({ fontSize }) => sameSize(fontSize, largest)) ??
    candidates.find((candidate) => standsOut(candidate, page, bodySize));
  return block && { title: plain(block.lines), subtitle: null, lines: block.lines };
}

const startsWithHeading = ({ lines: [line] }: Block): boolean => headings.test(line?.text ?? '');

const isSetLike = (one: Block, other: Block): boolean =>
  sameSize(one.fontSize, other.fontSize) && one.lines[0]?.bold === other.lines[0]?.bold;

const hasWords = (lines: readonly TextLine[]): boolean =>
  lines.some(({ text }) => /\p{L}{2}/u.test(text));

/** The name of a journal or a series above the title, with its volume or date below. */
function isMasthead(block: Block, all: readonly Block[]): boolean {
  const text = plain(block.lines);
  if (/^(\d+|https?:.*|www\..*|arxiv.*)$/i.test(text)) return true;
  const below = all.slice(all.indexOf(block) + 1);
  const next = below[0]?.lines[0]?.text ?? '';
  const periodical =
    /\b(journal|proceedings|transactions|letters|annals|bulletin|magazine|review|reports?|papers?|series|notes|news)\b/i;
  return periodical.test(text) && (namesAnIssue(next) || namesAnIssue(text)) && below.length > 1;
}

/** In the size of the running text, a title is a short block of its own that is centred, bold or in capitals. */
function standsOut({ lines, fontSize }: Block, page: PageContent, bodySize: number): boolean {
  const text = plain(lines);
  const centred = lines.every(
    ({ box }) => Math.abs(box[0] + box[2] / 2 - page.width / 2) < page.width * 0.04,
  );
  const capitals = text === text.toUpperCase() && /\p{Lu}{3}/u.test(text);
  return (
    lines.length <= 4 &&
    fontSize > bodySize * 0.95 &&
    text.includes(' ') &&
    centred &&
    (capitals || lines.every(({ bold }) => bold))
  );
}

/** On one line and without the marks of footnotes. */
const plain = (lines: readonly TextLine[]): string =>
  tidy(
    lines
      .flatMap(cellsOf)
      .map(({ text }) => unmarked(text))
      .join(' '),
  );

const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim();
