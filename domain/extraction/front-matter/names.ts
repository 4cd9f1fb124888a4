import { isWellKnown } from '../headings/section-number.js';
import { mark, unmarked } from './cells.js';

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
export function isPersonName(text: string): boolean {
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
export const isGroupName = (text: string): boolean =>
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
