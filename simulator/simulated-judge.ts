import { readDelimited, type Section } from '../domain/scoring/delimited-sections.js';
import type { ReplyForm } from '../domain/scoring/judging/judge-request.js';
import type { ChatRequest } from './chat-request.js';
import { seededDraw } from './faults.js';
import { oneLine, type ScriptedReview } from './script.js';
import type { SimulatorOptions } from './simulator-options.js';

/**
 * The reply of the simulated model as a judge; undefined if the request does not ask for a judgement. It compares words, so
 * that the verdict follows from the answer and the reference. Seed, model and case decide whether it gives the opposite
 * verdict or an unreadable one, so that a repeated request gets the same reply.
 */
export function simulatedJudgement(
  { model, messages, response_format }: ChatRequest,
  { seed, judgeDisagrees, judgeUnreadable }: SimulatorOptions,
): string | undefined {
  // The second request of a graded judgement asks to read the grade out of the first reply.
  const report = messages.at(-1)?.content ?? '';
  const [, grade] =
    /^What follows is an evaluation .*Overall Quality Score: (\S+)\s*$/s.exec(report) ?? [];
  if (grade !== undefined) return grade;
  const [found] = messages.flatMap(({ role, content }) =>
    role === 'user' ? (readDelimited(content) ?? []) : [],
  );
  if (found === undefined) return undefined;
  const { code, sections, before } = found;
  // Some models get the instructions in the user's message, above the texts.
  const instructions = `${messages[0]?.role === 'user' ? '' : (messages[0]?.content ?? '')}${before}`;
  if (seededDraw(seed, 'unreadable', model, code) < judgeUnreadable)
    return 'I cannot judge this case.';
  const form = formOf(instructions);
  const met = form === 'match' || form === 'one-to-five' ? shareTold(sections) : shareMet(sections);
  const share = seededDraw(seed, 'disagrees', model, code) < judgeDisagrees ? 1 - met : met;
  return response_format ? structuredReply[form](share) : textReply[form](share);
}

const formOf = (instructions: string): ReplyForm => {
  if (instructions.includes('selection')) return 'selection';
  if (instructions.includes('not match')) return 'match';
  if (instructions.includes('1, 2, 3, 4 and 5') || instructions.includes('from 1 to 5'))
    return 'one-to-five';
  return instructions.includes('conciseness') ? 'grades' : 'verdict';
};

/** The share of the rule's requirements that the answer meets, from 0 to 1. */
function shareMet(sections: readonly Section[]): number {
  const answer = wordsOf(sections.find(({ label }) => label === 'answer')?.text ?? '');
  const contains = (text: string): boolean => answer.includes(wordsOf(text));
  const shares = sections.flatMap(({ label, text }): number[] => {
    if (!/^(points|reference formulas)/.test(label)) return [];
    const lines = text.split('\n');
    const [, required] = /^points, (\d+) required$/.exec(label) ?? [];
    const met = lines.filter((line) => contains(line.replace(/^- /, ''))).length;
    return [Math.min(1, met / Number(required ?? lines.length))];
  });
  const references = sections.filter(({ label }) =>
    /^reference (answer|formula)( \d+)?$/.test(label),
  );
  if (references.length > 0)
    shares.push(Math.max(...references.map(({ text }) => similarity(answer, text))));
  return Math.min(1, ...shares);
}

/** The share of the long reference answer's telling words that the answer contains: numbers, and words of four letters or more. */
function shareTold(sections: readonly Section[]): number {
  const textOf = (wanted: string): string =>
    wordsOf(sections.find(({ label }) => label === wanted)?.text ?? '');
  const told = new Set(textOf('reference answer').trim().split(' '));
  const telling = [...told].filter((word) => word.length > 3 || /\d/.test(word));
  const words = telling.length > 0 ? telling : [...told];
  const answer = textOf('answer');
  return words.filter((word) => answer.includes(` ${word} `)).length / words.length;
}

/** 1 if the answer contains the reference, else the share of the reference's words that it contains. */
function similarity(answer: string, reference: string): number {
  const words = wordsOf(reference);
  if (answer.includes(words)) return 1;
  const each = words.trim().split(' ');
  return each.filter((word) => answer.includes(` ${word} `)).length / each.length;
}

/** Letters and digits in lower case, one space around each word. */
const wordsOf = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

const reason = (share: number): string =>
  `The answer contains ${Math.round(share * 100)} per cent of the required words.`;
const selectionOf = (share: number): '0' | '0.5' | '1' =>
  share === 1 ? '1' : share >= 0.5 ? '0.5' : '0';
const gradeOf = (share: number): number => 1 + Math.round(9 * share);
const matchOf = (share: number): 'match' | 'not match' => (share >= 0.75 ? 'match' : 'not match');
const fiveOf = (share: number): number => 1 + Math.round(4 * share);

const textReply: Readonly<Record<ReplyForm, (share: number) => string>> = {
  verdict: (share) => `${reason(share)}\n\n\`\`\`txt\n${share === 1 ? 'True' : 'False'}\n\`\`\``,
  selection: (share) => JSON.stringify({ selection: selectionOf(share) }),
  grades: (share) =>
    [
      'Evaluation:',
      ...['Relevance', 'Accuracy', 'Completeness', 'Conciseness'].map(
        (name, index) => `${index + 1}. ${name}: ${gradeOf(share)} - ${reason(share)}`,
      ),
      `Overall Quality Score: ${gradeOf(share)}`,
    ].join('\n'),
  match: (share) => `${reason(share)}\n\nVerdict: ${matchOf(share)}`,
  'one-to-five': (share) => `${reason(share)}\n\nScore: ${fiveOf(share)}`,
};

const structuredReply: Readonly<Record<ReplyForm, (share: number) => string>> = {
  verdict: (share) => JSON.stringify({ reasoning: reason(share), verdict: share === 1 }),
  selection: (share) => JSON.stringify({ reasoning: reason(share), selection: selectionOf(share) }),
  grades: (share) => {
    const grade = { explanation: reason(share), score: gradeOf(share) };
    return JSON.stringify({
      relevance: grade,
      accuracy: grade,
      completeness: grade,
      conciseness: grade,
      overall: gradeOf(share),
    });
  },
  match: (share) => JSON.stringify({ rationale: reason(share), verdict: matchOf(share) }),
  'one-to-five': (share) => JSON.stringify({ rationale: reason(share), score: fiveOf(share) }),
};

/**
 * The reply of the simulated model as a reviewer or meta-reviewer of an answer over a database; undefined if the request does
 * not ask for a review. A reviewer looks for what a machine can see: a plan in the words of the question, queries that all
 * return rows, an answer with numbers from the results. A meta-reviewer follows the majority of the reviews. Seed, model and
 * case decide whether it decides the opposite or unreadably, so that a repeated request gets the same reply.
 */
export function simulatedReview(
  { model, messages, response_format }: ChatRequest,
  { seed, judgeDisagrees, judgeUnreadable }: SimulatorOptions,
  script: readonly ScriptedReview[] = [],
): string | undefined {
  const [found] = messages.flatMap(({ role, content }) =>
    role === 'user' ? (readDelimited(content) ?? []) : [],
  );
  const instructions = messages.map(({ content }) => content).join('\n');
  if (found === undefined || !/"Perfect"|^Decision: Perfect$/m.test(instructions)) return undefined;
  const { code, sections } = found;
  if (seededDraw(seed, 'unreadable', model, code) < judgeUnreadable)
    return 'I would rather not say.';
  const { rationale, isPerfect } = scriptedOpinion(script, sections, model) ?? opinionOn(sections);
  const isContrary = seededDraw(seed, 'disagrees', model, code) < judgeDisagrees;
  const decision = isPerfect === isContrary ? 'Imperfect' : 'Perfect';
  return response_format
    ? JSON.stringify({ rationale, decision })
    : `${rationale}\n\nDecision: ${decision}`;
}

function scriptedOpinion(
  script: readonly ScriptedReview[],
  sections: readonly Section[],
  model: string,
): Opinion | undefined {
  const text = (label: string): string | undefined =>
    sections.find((each) => each.label === label)?.text;
  const subTask =
    text('answer') !== undefined ? 'IS' : text('queries with results') !== undefined ? 'TE' : 'IP';
  const entries = script.filter(
    (entry) =>
      entry.subTask === subTask && oneLine(entry.question) === oneLine(text('question') ?? ''),
  );
  const entry =
    entries.find((each) => each.model === model) ??
    entries.find((each) => each.model === undefined);
  return entry && { isPerfect: entry.decision === 'perfect', rationale: entry.rationale };
}

interface Opinion {
  readonly isPerfect: boolean;
  readonly rationale: string;
}

function opinionOn(sections: readonly Section[]): Opinion {
  const text = (label: string): string => sections.find((each) => each.label === label)?.text ?? '';
  const has = (label: string): boolean => sections.some((each) => each.label === label);
  const reviews = sections.filter(({ label }) => label.startsWith('review '));
  if (reviews.length > 0) return majority(reviews);
  const shown = text('queries with results') + text('rows of all tables');
  if (has('answer')) return opinionOnAnswer(text('answer'), shown);
  if (has('queries with results')) return opinionOnQueries(shown);
  return opinionOnPlan(text('plan'), text('question'));
}

function majority(reviews: readonly Section[]): Opinion {
  const perfect = reviews.filter(({ text }) => text.endsWith('Decision: Perfect')).length;
  return {
    isPerfect: 2 * perfect > reviews.length,
    rationale: `${perfect} of ${reviews.length} reviews find no fault, and the material bears them out.`,
  };
}

function opinionOnAnswer(answer: string, shown: string): Opinion {
  const numbers = [...new Set(answer.match(/\d+(?:\.\d+)?/g))];
  const unknown = numbers.filter((number) => !shown.includes(number));
  return {
    isPerfect: numbers.length > 0 && unknown.length === 0,
    rationale:
      numbers.length === 0
        ? 'The answer gives no figure.'
        : `Of ${numbers.length} figures in the answer, ${unknown.length} do not stand in the results.`,
  };
}

function opinionOnQueries(shown: string): Opinion {
  const queries = shown.match(/^Query \d+/gm)?.length ?? 0;
  const faulty = shown.match(/^(?:Error:|\(0 rows\))/gm)?.length ?? 0;
  return {
    isPerfect: queries > 0 && faulty === 0,
    rationale: `There are ${queries} queries, and ${faulty} of them return no rows.`,
  };
}

function opinionOnPlan(plan: string, question: string): Opinion {
  const words = [...new Set(question.toLowerCase().match(/\p{L}{5,}/gu))];
  const missing = words.filter((word) => !plan.toLowerCase().includes(word));
  return {
    isPerfect: plan.trim() !== '' && 2 * missing.length <= words.length,
    rationale: `Of ${words.length} words of the question, ${missing.length} are not in the plan.`,
  };
}
