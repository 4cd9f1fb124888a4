import { readDelimited, type Section } from '../domain/scoring/delimited-sections.js';
import type { ChatRequest } from './chat-request.js';
import { seededDraw } from './faults.js';
import { oneLine, type ScriptedReview } from './script.js';
import type { SimulatorOptions } from './simulator-options.js';

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
