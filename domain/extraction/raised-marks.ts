// cspell:ignore tcdmnpfµμ
/** A raised mark in its line. */
interface RaisedMark {
  readonly text: string;
  /** The line in front of it, and what follows. */
  readonly before: string;
  readonly after: string;
  /** Whether it or what it stands at is in a font or a character of mathematics. */
  readonly ofMath: boolean;
  /** Whether it begins a note on its page. */
  readonly isNoted: boolean;
  /** Whether any raised number begins a note of the document. */
  readonly hasNotes: boolean;
}

/**
 * What a raised mark is: a `script` (the exponent of `10^5`, `x^2`, `m^2`, `s^-1`, the charge of `Ca^2+`), the mark of a `note`, an
 * affiliation or a citation, or a part of its word that changes no number (`joined`), such as `th` and `*`.
 */
export function raisedAs(mark: RaisedMark): 'script' | 'note' | 'joined' {
  const { text, before, after, ofMath } = mark;
  // Notes have no sign.
  if (/^[+−–-](?:\d|\p{L})|^\d*[+−–-]$/u.test(text)) return 'script';
  if (!/[\p{L}\p{N}]/u.test(text) || inWord.test(`${before.slice(-1)}${text}`)) return 'joined';
  // Logos raise letters within a word.
  if (/^\p{L}+$/u.test(text) && (/^\p{L}/u.test(after) || text.length > 4) && !ofMath)
    return 'joined';
  return isExponent(mark) ? 'script' : 'note';
}

/** `4th`, `2e`, `No.`, `Acme™`. */
const inWord =
  /^(?:[\dIVX](?:st|nd|rd|th|er|re|e|de|ème|eme|ère)|[Nn]os?|M(?:r|rs|me|lle)|\p{L}(?:TM|SM|R))$/u;

function isExponent(mark: RaisedMark): boolean {
  const { text, ofMath } = mark;
  // A power of what has an index.
  const before = mark.before.replace(/_(?:\{[^{}]*\}|\p{L}|\d+)$/u, '');
  if (mark.isNoted && before !== mark.before) return false;
  const [, context = '', number] = /^(.*?)(\d[\d.,]*)$/s.exec(before) ?? [];
  if (number !== undefined && !/\p{L}$/u.test(context)) return isPower(mark, number, context);
  if (/[\p{L}°]$/u.test(before)) {
    const word = /[\p{L}\p{M}°]+$/u.exec(before)?.[0] ?? '';
    if (ofMath || (/^\p{L}$/u.test(word) && !/[,;]/.test(text))) return true;
    const isFormula = /[=+×·]\s?\p{L}{1,3}$/u.test(before);
    return /^\d$/.test(text) && (isUnit(word) || functionName.test(word) || isFormula);
  }
  // A bracket of a formula, not a remark.
  if (/[)\]]$/.test(before))
    return ofMath || /[([](?:\p{L}|[^()[\]]*[+−×·/=*][^()[\]]*)[)\]]$/u.test(before);
  return ofMath && !/[.,;:!?”"’]$/.test(before);
}

/** Of a number: one of mathematics, ten, or one at which no note is likely. */
function isPower(mark: RaisedMark, number: string, context: string): boolean {
  const { text, after, ofMath, isNoted, hasNotes } = mark;
  if (!/^\d+$/.test(text)) return ofMath || (/^(?:2|10)$/.test(number) && /^[k-nx]$/.test(text));
  // The other part of a fraction.
  if (/^[/⁄]/.test(after)) return false;
  if (number === '10') return !isNoted || /[×·⋅x*]\s?$/.test(context);
  // Nobody raises to the power of one.
  if (isNoted || text === '1') return false;
  if (/^\s?[=≈×·⋅<>≤≥]/.test(after)) return true;
  // `Table 4`, `42 ships`.
  const isLabel = /\p{Lu}\p{L}+\.?\s$/u.test(context);
  const counts = number.length > 1 && /^\s\p{L}{3}/u.test(after);
  return !isLabel && (hasNotes || !counts);
}

/** Whether a word is a unit that is squared or cubed. */
const isUnit = (word: string): boolean =>
  /^(?:[kMGTcdmnpfµμ]?(?:m|g|s|A|K|L|l|J|W|N|V|T|C|F|H|Pa|Hz|mol|eV|pc|rad)|ft|yd|ha|px|deg|dB|°)$/u.test(
    word,
  );

const functionName = /^(?:sin|cos|tan|log|ln|exp|sinh|cosh|tanh|cot|sec|csc)$/;
