// cspell:ignore chave chiave einf einleitung hrung introdu introducci introduzione palabras palavras rter schl schlagw sselw
import { bodyPrint } from './body-print.js';
import { bottomOf } from './boxes.js';
import { readAuthors } from './front-matter/authors.js';
import { cellsOf, squash, unmarked } from './front-matter/cells.js';
import { isDated, readImprint } from './front-matter/imprint.js';
import { leadingNames } from './front-matter/names.js';
import { findTitle } from './front-matter/title.js';
import { abstractWords } from './headings/section-number.js';
import type { PageContent, PdfContent, TextLine } from './page-content.js';
import type { FrontMatter } from './paper.js';
import { closed } from './text.js';

export interface FoundFrontMatter {
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
