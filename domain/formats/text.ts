/** Shortens a text to one line of at most `length` characters. Cuts between code points. */
export function preview(text: string, length: number): string {
  const line = beginning(text, 2 * length);
  const characters = Array.from(line);
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}

/** The text on one line, or its first words until they exceed `units` UTF-16 units. */
function beginning(text: string, units: number): string {
  const words: string[] = [];
  let remaining = units;
  for (const [word] of text.matchAll(/\S+/g)) {
    words.push(word);
    remaining -= word.length;
    if (remaining < 0) break;
  }
  return words.join(' ');
}

const units = [
  { from: 1e9, letter: 'B' },
  { from: 1e6, letter: 'M' },
  { from: 1e4, letter: 'k', per: 1e3 },
] as const;

/** A count in about five characters: `9,999`, `35k`, `1.2M`, `12M`, `3.4B`. */
export function countText(count: number): string {
  const unit = units.find(({ from }) => count >= from);
  if (unit === undefined) return grouped(count);
  const inUnits = count / ('per' in unit ? unit.per : unit.from);
  return `${inUnits < 10 ? inUnits.toFixed(1) : grouped(inUnits)}${unit.letter}`;
}

/**
 * A rounded count with commas between thousands: `12,345`. `toLocaleString` is not used because its first call loads the
 * locale data, which takes longer than reading a large run.
 */
export const grouped = (count: number): string =>
  String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');

/** `1 row`, `2,000 rows`. @param thing - one of them */
export const counted = (count: number, thing: string): string =>
  `${grouped(count)} ${thing}${count === 1 ? '' : 's'}`;

/** `12 %`, `0.4 %`. `whole` must not be 0. */
export function percent(part: number, whole: number): string {
  const share = (100 * part) / whole;
  return `${share === 0 || share >= 10 ? Math.round(share) : share.toFixed(1)} %`;
}

/** `640 bytes`, `12 kB`, `1.2 MB`, `3.4 GB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1e3) return counted(bytes, 'byte');
  if (bytes < 1e5) return `${Math.round(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** `40 s`, `12 min`, `3 h 5 min`, `4 d 2 h`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const hours = Math.round(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Texts of which some may have nothing to say: false, null and undefined are left out. */
export type Texts = string | false | null | undefined | readonly Texts[];

/** The texts that say something, in their order. */
export function said(texts: Texts): readonly string[] {
  if (typeof texts === 'string') return [texts];
  return texts ? texts.flatMap((each) => said(each)) : [];
}

export const joined = (separator: string, ...texts: readonly Texts[]): string =>
  said(texts).join(separator);

/** `0.123`. @param none - stands where there is no value */
export const decimals = (value: number | null | undefined, digits = 3, none = '–'): string =>
  value?.toFixed(digits) ?? none;

/** Of a call or a tool: `850 ms`, `3.2 s`, `41 s`, and minutes from a hundred seconds on. */
export function shortDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 100 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `2026-11-21 17:46 UTC`. */
export const instantText = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

/** Bidirectional controls, which reorder the text after them, and other control characters. */
const deceptive = /[^\P{Cc}\t\n\r]|\p{Bidi_Control}|\r(?!\n)/gu;

const hexOf = (mark: string): string =>
  mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');

/** Replaces characters that reorder or hide text, or steer a terminal, by their code points, such as `[U+202E]`. */
export const visibleText = (text: string): string =>
  text.replace(deceptive, (mark) => `[U+${hexOf(mark)}]`);

/** The same of a JSON document, which then says the same: such characters are only in its strings. */
export const visibleJson = (json: string): string =>
  json.replace(deceptive, (mark) => `\\u${hexOf(mark)}`);
