import type { PythonValue } from '../formats/python/value.js';
import { pythonOfAnyValue } from './actions/action.js';
import type { FinishedTurn } from './turn-record.js';

type Turn = Pick<FinishedTurn, 'reply' | 'observation' | 'ofCalls' | 'facts'>;

/**
 * The values of an answer that no observation shows: names, numbers and short texts. A number counts as shown where it is one of
 * an observation, rounded as the answer rounds it, or as a percentage of it. Of a long text only its numbers and names count.
 * Null where the question was not ended by an action, so that nothing tells what the model saw.
 */
export function ungroundedValues(turns: readonly Turn[]): readonly string[] | null {
  const reading = turns.at(-1)?.reply.reading;
  if (reading?.kind !== 'action' || reading.action.kind !== 'GenerateAnswer') return null;
  // What is in a picture, nobody can tell from its turn.
  if (turns.some(({ facts }) => facts?.tool === 'image' && facts.outcome.kind === 'found'))
    return null;
  const answer = pythonOfAnyValue(reading.action.answer);
  const values = answer === null ? [] : leavesOf(answer);
  const seen = turns.slice(0, -1).flatMap(shownIn).join('\n');
  const text = plain(seen);
  const numbers = [...seen.replaceAll(idPattern, ' ').matchAll(numberPattern)].map(numberOf);
  const isShown = (value: string): boolean => {
    const number = wholeNumber.exec(value.trim());
    if (number !== null) return numbers.some((one) => isSameNumber(numberOf(number), one));
    return text.includes(plain(value));
  };
  return [...new Set(values.flatMap(partsOf))].filter((value) => !isShown(value));
}

/** What a turn has shown: an error or an empty result repeats only what the model wrote. */
const shownIn = ({ observation, ofCalls, facts }: Turn): readonly string[] =>
  facts?.outcome.kind === 'found'
    ? (ofCalls ?? [observation]).map((text) =>
        text.replace(foot, '\n$1').replaceAll(escaped, fromCode),
      )
    : [];

/** Characters as JSON writes them in ASCII. */
const escaped = /\\u([0-9a-f]{4})/gi;
const fromCode = (_: string, code: string): string => String.fromCharCode(parseInt(code, 16));

/** What we write below rows. How many there are beside those shown is told nowhere else. */
const foot = /\n\n(?:In total, |# |\.\.\. # )(?:\d+ of ([\d,]+) )?.*$/s;

function leavesOf(value: PythonValue): readonly string[] {
  switch (value.kind) {
    case 'str':
      return [value.value];
    case 'int':
    case 'float':
      return [String(value.value)];
    case 'list':
    case 'tuple':
    case 'set':
      return value.items.flatMap(leavesOf);
    case 'dict':
      return value.entries.flatMap(([, item]) => leavesOf(item));
    case 'bool':
    case 'none':
    case 'ellipsis':
    case 'complex':
    case 'bytes':
      return [];
  }
}

/** Words up to which a text is a value as a whole. */
const mostWords = 6;
/** Answers that say nothing of what was seen. */
const verdicts = /^(?:yes|no|true|false|none|null|n\/a|unknown|[a-h]|)$/i;

/** The values of a text: itself, or of a sentence its numbers and names. */
function partsOf(text: string): readonly string[] {
  const value = text.trim();
  if (verdicts.test(value)) return [];
  if (value.split(/\s+/).length <= mostWords) return [value];
  const names = [...value.matchAll(namePattern)].map(([name]) => name);
  const numbers = [...value.matchAll(numberPattern)].map(([number]) => number);
  return [...numbers, ...names];
}

/** Words that begin with a capital letter behind another word, or have one inside. */
const namePattern =
  /(?<=[\p{Ll},;:] )\p{Lu}[\p{L}\p{N}-]+|\b\p{L}*\p{Ll}\p{Lu}[\p{L}\p{N}-]*|\b\p{Lu}{2,}[\p{L}\p{N}-]*/gu;

const numberPattern = /(?<![\p{L}\d.])[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?/giu;
const wholeNumber = /^[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?$/i;
/** The ids of papers and rows have digits that nobody means. */
const idPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

interface Written {
  readonly value: number;
  /** Digits behind the point. */
  readonly digits: number;
}

function numberOf([text]: RegExpMatchArray | RegExpExecArray): Written {
  const plainText = text.replaceAll(',', '').replace('−', '-');
  return {
    value: Number(plainText),
    digits: /\.(\d+)/.exec(plainText)?.[1]?.length ?? 0,
  };
}

/** Whether a number of an answer is one that was seen, in its own digits, or as a share in per cent. */
function isSameNumber(answered: Written, seen: Written): boolean {
  const half = 0.5 * 10 ** -answered.digits;
  return [
    seen.value,
    ...(answered.digits > 0 || seen.digits > 0 ? [seen.value * 100, seen.value / 100] : []),
  ].some(
    (value) =>
      value === answered.value ||
      (seen.digits > answered.digits &&
        answered.digits > 0 &&
        Math.abs(value - answered.value) <= half * (1 + 1e-9)),
  );
}

/** Without case, marks and white space, in which texts differ that say the same. */
const plain = (text: string): string =>
  text
    .replaceAll(/\\[ntr"\\/]/g, ' ')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{P}\p{S}]+/gu, ' ')
    .trim();
