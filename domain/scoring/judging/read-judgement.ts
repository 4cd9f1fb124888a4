import { jsonIn } from '../../formats/json.js';
import { pythonFromJsonText } from '../../formats/python/json.js';
import { str, strip } from '../../formats/python/text.js';
import { roundTo } from '../../statistics/rounding.js';
import { toFloat } from '../match-number.js';
import { structuredReplies, type JudgeReplyText, type ReplyForm } from './judge-request.js';

/**
 * What a reply comes to: a number on the scale of its form (0 or 1; 0, 0.5 or 1; 1 to 10) and the judge's reasons.
 * `off-scale` is a number that the scale does not have.
 */
export type Judgement =
  | { readonly kind: 'read'; readonly value: number; readonly rationale: string }
  | { readonly kind: 'off-scale'; readonly value: number }
  | { readonly kind: 'unreadable' };

const unreadable: Judgement = { kind: 'unreadable' };

/**
 * Reads a reply. What it says must be its end: a verdict that the judge quotes from the answer on the way is none, and
 * a reply that was cut off has not come to one.
 */
export function readJudgement(
  { text, cutOff }: JudgeReplyText,
  form: ReplyForm,
  structured: boolean,
): Judgement {
  if (cutOff) return unreadable;
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
};

/** Longest piece of a judge's reasons that goes into a score; the whole reply is in the run's folder. */
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

function bareJsonIn(text: string): unknown {
  const [, fenced] = /^\s*```(?:json)?\s*\n(.*)\n\s*```\s*$/s.exec(text) ?? [];
  return jsonIn(fenced ?? text);
}

/** Python's `\s`. */
const blank = String.raw`[\x1c-\x1f\x85]|(?!\ufeff)\s`;
const fence = new RegExp(`\`\`\`(?:txt)?(?:${blank})(.*?)(?:${blank})\`\`\``, 'gs');

/** True for the one word, in the last of all fences; whatever else there is means false (evaluation-functions.md §5.1). */
export function verdictStrictly(text: string): Judgement {
  const content = [...text.matchAll(fence)].at(-1)?.[1] ?? '';
  return read(Number(strip(content).toLowerCase() === 'true'), text);
}

/** The number in the first object, whatever stands around it (evaluation-functions.md §5.8). */
export function selectionStrictly(text: string): Judgement {
  const open = text.indexOf('{');
  const close = text.indexOf('}', open);
  const selection = open === -1 || close === -1 ? null : selectionIn(text.slice(open, close + 1));
  if (selection === null) return unreadable;
  return selection >= 0 && selection <= 1
    ? read(selection, text)
    : { kind: 'off-scale', value: selection };
}

/** A float as Python reads it, and nothing else (evaluation-functions.md §5.9). */
export function gradeStrictly(text: string): Judgement {
  const grade = toFloat({ kind: 'str', value: text });
  return grade === null ? unreadable : graded(grade, '');
}
