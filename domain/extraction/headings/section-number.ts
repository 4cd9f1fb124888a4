// cspell:ignore abschnitt agradecimientos anexo anhang ausblick bibliogr bibliograf bibliographiques chapitre conclusi danksagung discusi diskussion einf einleitung ergebnisse fazit ficas folgerung grundlagen hrung introducci kapitel kurzfassung methoden) fix: (methods methodik metodolog ndice partie referencias remerciements resultados resumen resumo riassunto schluss secci sultats teil thodes verzeichnis zusammenfassung
/** The number of a section, e.g. `2.1`, `A.1`, `IV.` or `Appendix B:`. */
export interface SectionNumber {
  /** As printed, without the mark after it. */
  readonly printed: string;
  readonly kind: 'decimal' | 'roman' | 'letter';
  /** `2.1` is [2, 1] and `B.1` is [2, 1], too. */
  readonly path: readonly number[];
  /** Whether a word such as `Appendix` says that it is one. */
  readonly named: boolean;
}

export interface NumberedTitle {
  /** Null where the text has no number. */
  readonly number: SectionNumber | null;
  /** The text after the number. */
  readonly title: string;
}

const word = String.raw`(?:(Section|Chapter|Part|Appendix|Supplement|§|Abschnitt|Kapitel|Teil|Anhang|Chapitre|Partie|Annexe|Cap[íi]tulo|Secci[óo]n|Ap[ée]ndice|Anexo)\s*)?`;
const mark = String.raw`(?:[.:)—–-]?\s+|[.．、]?\s*(?=\p{Lo})|[.:]?$)`;
const decimal = new RegExp(`^${word}(\\d{1,2}(?:\\.\\d{1,2}){0,4})${mark}`, 'iu');
const roman = new RegExp(`^${word}((?:X{0,3}(?:IX|IV|V?I{1,3}|V)|X{1,3}))${mark}`, 'u');
/** `第1章`, `第一章`, `一、`, `壹、`. */
const chapter =
  /^第?\s*()([一二三四五六七八九十壹貳贰參叁肆伍陸陆柒捌玖拾]{1,3}|\d{1,2})\s*(?:[章节節部]|[、．])\s*/u;
const letter = new RegExp(`^${word}([A-Z](?:\\.\\d{1,2}){0,4})${mark}`, 'u');

/**
 * All ways to read the beginning of a heading as its number: `I Data` may be the first section or the ninth appendix. Empty
 * for texts without a number.
 */
export function readNumbers(
  text: string,
): readonly (NumberedTitle & { readonly number: SectionNumber })[] {
  return [
    readNumber(text, 'decimal', decimal, (part) => Number(part)),
    readNumber(text, 'decimal', chapter, chineseValue),
    readNumber(text, 'roman', roman, romanValue),
    readNumber(text, 'letter', letter, (part) =>
      /\d/.test(part) ? Number(part) : part.charCodeAt(0) - 'A'.charCodeAt(0) + 1,
    ),
  ].flatMap((reading) => reading ?? []);
}

function readNumber(
  text: string,
  kind: SectionNumber['kind'],
  pattern: RegExp,
  valueOf: (part: string) => number,
) {
  const [whole, name, digits] = pattern.exec(text) ?? [];
  if (whole === undefined || digits === undefined) return undefined;
  const title = text.slice(whole.length).trim();
  // `Appendix A` alone is a heading, `2` alone is none.
  if (name === undefined && !/\p{L}/u.test(title)) return undefined;
  const path = digits.split('.').map(valueOf);
  const printed = title === '' || name === undefined ? digits : `${name} ${digits}`.trim();
  return {
    number: { kind, path, printed, named: name !== undefined },
    title: title || (name ?? ''),
  };
}

/** Of `3`, of `十三` and of `拾參`. */
function chineseValue(text: string): number {
  const [tens = '', ones = ''] = /[十拾]/.test(text) ? text.split(/[十拾]/) : ['零', text];
  const valueOf = (digit: string, none: number): number =>
    digit === ''
      ? none
      : '零一二三四五六七八九零壹貳參肆伍陸柒捌玖零壹贰叁肆伍陆柒捌玖'.indexOf(digit) % 10;
  return /\d/.test(text) ? Number(text) : valueOf(tens, 1) * 10 + valueOf(ones, 0);
}

const romanValues: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10 };

function romanValue(text: string): number {
  const values = Array.from(text, (character) => romanValues[character] ?? 0);
  return values.reduce(
    (sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value),
    0,
  );
}

/** In English, German, French, Spanish, Portuguese, Italian, Chinese and Japanese. */
export const abstractWords =
  'abstract|zusammenfassung|kurzfassung|r[ée]sum[ée]|resumen|resumo|riassunto|[内內]容摘要|摘\\s*要|概\\s*要|要\\s*[旨約约]|抄\\s*[録录]';

const wellKnown =
  /^(abstract|summary|contents|table of contents|introduction|related works?|background|preliminaries|notation|motivation|materials and methods|methods?|methodology|data|experiments?|experimental (setup|results)|implementation|results|results and discussion|evaluation|analysis|discussion|limitations?|future work|ethics statement|broader impact|(summary and )?conclusions?|(concluding|final) remarks|(discussion|summary) and conclusions?|acknowledge?ments?|funding|(author )?contributions|data availability( statement)?|references|(annotated )?bibliography|literature cited|literature|appendix|appendices|index|supplementary materials?|computational details|session info|session information|zusammenfassung|kurzfassung|einleitung|einf(?:ü|ue)hrung|grundlagen|method(?:en|ik)|ergebnisse|diskussion|fazit|schluss(?:folgerung(?:en)?)?|ausblick|danksagung|literatur(?:verzeichnis)?|anhang|r[ée]sum[ée]|m[ée]thodes?|r[ée]sultats|conclusions?|remerciements|r[ée]f[ée]rences(?: bibliographiques)?|bibliographie|annexes?|resumen|introducci[óo]n|m[ée]todos?|metodolog[íi]a|resultados(?: y discusi[óo]n)?|discusi[óo]n|conclusi(?:ón|on|ones)|agradecimientos|referencias(?: bibliogr[áa]ficas)?|bibliograf[íi]a|摘要|引言|[绪緒][论論言]|前言|方法|[实実實][验験驗](?:方法|[结結]果)?|[结結]果(?:与[讨討][论論])?|[讨討][论論]|[结結][论論語语]|[总總][结結]|致[谢謝]|謝辞|はじめに|おわりに|まとめ|考察|手法|関連研究|評価|実験|[参參]考文[献獻]|附[录錄録]|付録)\W*$/iu;

/** Whether papers use the text as a heading, whatever its print. */
export const isWellKnown = (title: string): boolean => wellKnown.test(title);
