import { jsonIn } from '../../formats/json.js';
import { pythonFromJsonText } from '../../formats/python/json.js';
import { str, strip } from '../../formats/python/value.js';
import { roundTo } from '../../statistics/rounding.js';
import { toFloat } from '../match-number.js';
import { structuredReplies, type JudgeReplyText, type ReplyForm } from './judge-request.js';

/**
 * What was read from a reply: a number on the scale of its form (0 or 1; 0, 0.5 or 1; 1 to 10; 1 to 5) and the judge's reasons.
 * `off-scale`: a number outside that scale.
 */
export type Judgement =
  | { readonly kind: 'read'; readonly value: number; readonly rationale: string }
  | { readonly kind: 'off-scale'; readonly value: number }
  | { readonly kind: 'unreadable' };

const unreadable: Judgement = { kind: 'unreadable' };

/**
 * Reads a reply. The verdict must be at its end, or in the last line of its form: one before that may be a quotation from
 * the answer, and a reply that was cut off has none.
 */
export function readJudgement(
  { text, cutOff, withheld }: JudgeReplyText,
  form: ReplyForm,
  structured: boolean,
): Judgement {
  if (cutOff || withheld !== undefined) return unreadable;
  return structured ? readStructured(text, form) : readText[form](text);
}

function readStructured(text: string, form: ReplyForm): Judgement {
  const json = bareJsonIn(text);
  switch (form) {
    case 'verdict': {
      const { data } = structuredReplies.verdict.safeParse(json);
      return data ? read(Number(data.verdict), data.reasoning) : unreadable;
    }
    case 'selection': {
      const { data } = structuredReplies.selection.safeParse(json);
      return data ? read(Number(data.selection), data.reasoning) : unreadable;
    }
    case 'grades': {
      const { data } = structuredReplies.grades.safeParse(json);
      if (!data) return unreadable;
      const { overall, ...grades } = data;
      const reasons = Object.entries(grades).map(
        ([name, { score, explanation }]) => `${name} ${score}: ${explanation}`,
      );
      return graded(overall, reasons.join('\n'));
    }
    case 'match': {
      const { data } = structuredReplies.match.safeParse(json);
      return data ? read(Number(data.verdict === 'match'), data.rationale) : unreadable;
    }
    case 'one-to-five': {
      const { data } = structuredReplies['one-to-five'].safeParse(json);
      return data ? read(data.score, data.rationale) : unreadable;
    }
  }
}

const readText: Readonly<Record<ReplyForm, (text: string) => Judgement>> = {
  verdict: (text) => {
    const found = /```[a-z]*\s+(true|false)\s+```\s*$/i.exec(text);
    const word = found?.[1]?.toLowerCase();
    return found && word ? read(word === 'true' ? 1 : 0, text.slice(0, found.index)) : unreadable;
  },
  selection: (text) => {
    const [, before = '', object] = /^(.*?)(\{[^{}]*\})\s*(?:```\s*)?$/s.exec(text) ?? [];
    const selection = object === undefined ? null : selectionIn(object);
    return selection === null ? unreadable : onScale(selection, before);
  },
  grades: (text) => {
    const [, before = '', overall] =
      /^(.*)\n[*#\s]*Overall Quality Score[*\s]*:[*\s]*([\d.]+)[*\s]*$/is.exec(text) ?? [];
    return overall === undefined ? unreadable : graded(Number(overall), before);
  },
  match: (text) => {
    const line = lastLine(text, 'verdict');
    const found = /^(not )?match$/i.exec(line?.value ?? '');
    return line && found ? read(found[1] === undefined ? 1 : 0, line.before) : unreadable;
  },
  'one-to-five': (text) => {
    const line = lastLine(text, 'score');
    return line && /^[1-5]$/.test(line.value) ? read(Number(line.value), line.before) : unreadable;
  },
};

/** The value of the last line `LABEL: VALUE`, and the text before that line. Emphasis does not count. */
function lastLine(
  text: string,
  label: string,
): { readonly value: string; readonly before: string } | null {
  const lines = text.split('\n');
  const bare = lines.map((line) => line.replace(/[*_#`]/g, '').trim());
  const index = bare.findLastIndex((line) => line.toLowerCase().startsWith(`${label}:`));
  const value = bare[index]?.slice(label.length + 1).replace(/\.$/, '');
  return value === undefined
    ? null
    : { value: value.trim(), before: lines.slice(0, index).join('\n') };
}

/** The maximum length of the reasons in a score. The whole reply is in the run's folder. */
const rationaleLength = 2_000;

function read(value: number, rationale: string): Judgement {
  const characters = Array.from(rationale.trim());
  return {
    kind: 'read',
    value,
    rationale:
      characters.length <= rationaleLength
        ? characters.join('')
        : `${characters.slice(0, rationaleLength - 1).join('')}…`,
  };
}

const graded = (overall: number, rationale: string): Judgement =>
  overall >= 1 && overall <= 10
    ? read(roundTo(overall, 2), rationale)
    : { kind: 'off-scale', value: overall };

const onScale = (value: number, rationale: string): Judgement =>
  [0, 0.5, 1].includes(value) ? read(value, rationale) : { kind: 'off-scale', value };

function selectionIn(text: string): number | null {
  const object = pythonFromJsonText(text);
  if (object?.kind !== 'dict') return null;
  const selection = object.entries.find(([key]) => str(key) === 'selection')?.[1];
  return selection === undefined ? null : toFloat(selection);
}

/** The JSON of a reply, alone or in a code fence. */
export function bareJsonIn(text: string): unknown {
  const [, fenced] = /^\s*```(?:json)?\s*\n(.*)\n\s*```\s*$/s.exec(text) ?? [];
  return jsonIn(fenced ?? text);
}

/** The characters that `\s` matches in Python. */
const blank = String.raw`[\x1c-\x1f\x85]|(?!\ufeff)\s`;
const fence = new RegExp(`\`\`\`(?:txt)?(?:${blank})(.*?)(?:${blank})\`\`\``, 'gs');

/** As the reference: 1 if the last code fence contains only the word true, else 0. */
export function verdictStrictly(text: string): Judgement {
  const content = [...text.matchAll(fence)].at(-1)?.[1] ?? '';
  return read(Number(strip(content).toLowerCase() === 'true'), text);
}

/** As the reference: the number in the first JSON object, wherever it stands. */
export function selectionStrictly(text: string): Judgement {
  const open = text.indexOf('{');
  const close = text.indexOf('}', open);
  const selection = open === -1 || close === -1 ? null : selectionIn(text.slice(open, close + 1));
  if (selection === null) return unreadable;
  return selection >= 0 && selection <= 1
    ? read(selection, text)
    : { kind: 'off-scale', value: selection };
}

/** As the reference: the whole text must be a float in Python's notation. */
export function gradeStrictly(text: string): Judgement {
  const grade = toFloat({ kind: 'str', value: text });
  return grade === null ? unreadable : graded(grade, '');
}
