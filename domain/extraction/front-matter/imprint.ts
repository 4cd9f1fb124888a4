import type { PageContent, TextLine } from '../page-content.js';

/** Where and when a paper appeared, as page 1 prints it. */
interface Imprint {
  readonly year: number | null;
  readonly venue: string | null;
  readonly doi: string | null;
  readonly arxivId: string | null;
}

const month =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const year = '(?:19|20)\\d\\d';

const date = new RegExp(
  `\\b${month}\\.?,?\\s+(?:\\d{1,2}(?:st|nd|rd|th)?,?\\s+)?${year}\\b|\\b\\d{1,2}(?:st|nd|rd|th)?\\.?\\s+${month}\\.?,?\\s+${year}\\b|\\b${year}[-/]\\d{1,2}[-/]\\d{1,2}\\b|\\b\\d{1,2}[./-]\\d{1,2}[./-]${year}\\b`,
  'i',
);
const bareDate = new RegExp(`^\\(?(?:${month}\\s+)?${year}\\)?$`, 'i');
const version = /^(version|release|revision|draft|v\d)/i;

/** Whether a line below the title gives a date or a version. */
export const isDated = (text: string): boolean =>
  date.test(text) || bareDate.test(text) || version.test(text);

/** A line with the volume and issue of a journal. */
export const namesAnIssue = (text: string): boolean =>
  /\bvol(\.|ume)?\s*\d|\bissue\s+\d|\bno\.\s*\d|\bissn\b|\b\d+\s*\(\d+\)\s*[,:]/i.test(text);

const venueWords =
  /^((?:in\s+)?proceedings of .+|(?:.{0,12}\s)?journal (?:of|for|on) .+|.+ journal,? vol.*|.*transactions (?:on|of) .+|findings of .+|annals of .+|.*\bconference on .+|published as a (?:conference|workshop) paper at .+|(?:the )?\d+(?:st|nd|rd|th) .*(?:conference|workshop|symposium).*)$/i;

/** The short name of a conference, e.g. `ACL` or `InfoVis`. */
const shortName = '\\p{Lu}[\\p{L}-]{0,8}\\p{Lu}[\\p{L}-]{0,8}';
const shortYear = `(?:[’'‘]\\s?\\d\\d|${year})`;
/** `ACL’09, June 15–20, 2009, Dublin`. */
const datedMeeting = new RegExp(`^${shortName}\\s?${shortYear},\\s+\\p{Lu}\\p{Ll}`, 'u');

const isVenue = (text: string): boolean =>
  text.length <= longestVenue &&
  (venueWords.test(text) || datedMeeting.test(text)) &&
  !isSentence.test(text);

/** Characters. */
const longestVenue = 160;
const isSentence = /\b(which|that|is|are|was|were|we|this|has|have|can)\b/i;

/** In a quotation of another publication, which is not the imprint of this one. */
const elsewhere =
  /\b(version of|based on|corresponds? to|published in|published as \p{Lu}\p{Ll}+ (and|et)|appeared in|introduced in|described in|see|modified|updated)\b/iu;

const doiPattern = /\b10\.\d{4,9}\/[^\s"<>{}|\\^~[\]`]+/;
const arxivPattern =
  /\barxiv(?::\s*|\.org\/(?:abs|pdf)\/)((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?\/\d{7})(?:v\d+)?)/i;

/**
 * Reads page 1 around the title and the running text. A DOI or a year in the running text belongs to another paper.
 * @param outside - the lines of page 1 that are no running text
 */
export function readImprint(page: PageContent | undefined, outside: readonly TextLine[]): Imprint {
  const own = outside.filter(({ text }) => !elsewhere.test(text));
  const texts = own.map(({ text }) => text);
  const all = (page?.lines ?? []).map(({ text }) => text);
  const venueAt = texts.findIndex(isVenue);
  const venue =
    texts[venueAt]?.replace(/^in\s+/i, '').concat(restOfVenue(texts[venueAt + 1])) ?? null;
  const nearVenue = venueAt === -1 ? [] : texts.slice(venueAt, venueAt + 3);
  // An address in the running text is that of another paper.
  const stamp =
    all.find((text) => /^arxiv:/i.test(text)) ??
    own.find(({ text }) => arxivPattern.test(text))?.text;
  const rights = all.find((text) => /©|\(c\)\s|\bcopyright\b/i.test(text));
  const dated = texts.filter((text) => isDated(text));
  return {
    venue,
    year: firstYear([...nearVenue, ...dated, stamp ?? '', rights ?? '']),
    doi: texts.map(readDoi).find((doi) => doi !== null) ?? null,
    arxivId: arxivPattern.exec(stamp ?? '')?.[1] ?? null,
  };
}

/** A long name goes on in a second line: `and the 9th International Joint Conference …`. */
const restOfVenue = (next: string | undefined): string =>
  next !== undefined && /^(?:and|on|of|for) \p{L}/u.test(next) && !isSentence.test(next)
    ? ` ${next}`
    : '';

/**
 * The full and the short name in a printed venue, without year, volume, pages, date and place. The short name is null where it is
 * not printed.
 */
export function venueNames(venue: string): {
  readonly full: string;
  readonly short: string | null;
} {
  const [, inBrackets] = new RegExp(`\\((${shortName})\\s*${shortYear}?\\)`, 'u').exec(venue) ?? [];
  const [, alone] =
    new RegExp(`(?:^|\\bpaper at )(${shortName})\\s?${shortYear}`, 'u').exec(venue) ?? [];
  const short = inBrackets ?? alone ?? null;
  if (alone !== undefined) return { full: alone, short };
  const full = venue
    .replace(/^(?:the|published as an? \w+ paper at)\s+/i, '')
    .replace(nameEnd, '')
    .trim();
  return { full, short };
}

/** Where the name of a venue ends: at the year behind it, a volume, an issue, pages, an address or a bracket. */
const nameEnd = new RegExp(
  `(?<=\\p{L}.*?)\\s*(?:[,;:(.–]\\s*)?(?:\\b${year}\\b\\s*(?:[,;:.(]|$)|\\bvol(?:ume|\\.)?\\s*\\d|\\bissue\\b|\\bno\\.|\\bpages\\b|\\bpp?\\.|\\d+\\s*\\(\\d|\\(\\p{Lu}|\\bdoi\\b|\\bhttps?:|\\b${month}\\b\\.?\\s+\\d).*$`,
  'iu',
);

function readDoi(text: string): string | null {
  const [doi] = doiPattern.exec(text) ?? [];
  return doi?.replace(/[.,;:)]+$/, '') ?? null;
}

function firstYear(texts: readonly string[]): number | null {
  const [found] = texts.flatMap((text) => new RegExp(`\\b${year}\\b`).exec(text) ?? []);
  return found === undefined ? null : Number(found);
}
