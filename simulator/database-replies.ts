import type { DatabaseMode } from '../domain/agent/database-qa/answer-trace.js';
import {
  stageOfPrompt,
  enoughMark,
  needMark,
  type DatabaseStage,
} from '../domain/agent/database-qa/prompts.js';
import type { ChatRequest } from './chat-request.js';
import { seededDraw } from './faults.js';
import { generatedAnswer } from './next-reply.js';
import { oneLine, type Script, type ScriptedDatabaseQuestion } from './script.js';

/**
 * The reply to a prompt of a database method, from the script or, if that asks for generated conversations, made up.
 * Undefined for other prompts and for unknown questions.
 */
export function databaseReply(
  { model, messages }: ChatRequest,
  script: Script,
): string | undefined {
  const prompt = messages.at(-1)?.content ?? '';
  const stage = stageOfPrompt(prompt);
  if (stage === null) return undefined;
  const question = oneLine(
    /^\[Question\]: (.*?)(?:\n\n\[[A-Z][A-Za-z ]*\]:|(?![^]))/ms.exec(prompt)?.[1] ?? '',
  );
  const entries = script.databaseQuestions.filter((entry) => oneLine(entry.question) === question);
  const entry =
    entries.find((each) => each.model === model) ??
    entries.find((each) => each.model === undefined) ??
    (script.generated && generated(question, prompt));
  if (entry === undefined) return undefined;
  const carelessness = script.carelessness[model];
  const written =
    carelessness === undefined
      ? entry
      : writtenBy({ model, carelessness, mode: modeOf(prompt) }, entry, prompt);
  return replyOf(written, stage, prompt.match(/^Round \d+$/gm)?.length ?? 0);
}

/** @param rounds - rounds that have ended */
function replyOf(
  { repairs, rounds, answer, ...entry }: ScriptedDatabaseQuestion,
  stage: DatabaseStage,
  ended: number,
): string {
  const { plan = listed(rounds), queries = rounds.map(({ query }) => query) } = entry;
  const round = rounds[ended];
  switch (stage) {
    case 'plan':
      return plan || 'Nothing needs to be retrieved.';
    case 'queries':
      return queries.map(fenced).join('\n\n') || 'No query is needed.';
    case 'repairs':
      return repairs.map(fenced).join('\n\n');
    case 'need':
      return round === undefined ? enoughMark : `${needMark} ${round.need}`;
    case 'query':
      return fenced(round?.query ?? '');
    case 'answer':
      return `The rows decide it.\n\n<answer>\n${answer}\n</answer>`;
  }
}

const listed = (rounds: ScriptedDatabaseQuestion['rounds']): string =>
  rounds.map(({ need }) => `- ${need}`).join('\n');

const fenced = (sql: string): string => `\`\`\`sql\n${sql}\n\`\`\``;

/** A conversation for load tests: it counts the rows of the first tables. */
function generated(question: string, prompt: string): ScriptedDatabaseQuestion {
  const tables = [...prompt.matchAll(/^CREATE TABLE (?:IF NOT EXISTS )?("(?:[^"]|"")+"|\w+)/gm)]
    .flatMap(([, name]) => name ?? [])
    .slice(0, 3);
  const rounds = tables.map((table) => ({
    need: `how many rows ${table} has`,
    query: `SELECT count(*) AS "rows" FROM ${table};`,
  }));
  return {
    question,
    repairs: [],
    rounds,
    answer: generatedAnswer(question),
  };
}

interface CarelessModel {
  readonly model: string;
  readonly carelessness: number;
  readonly mode: DatabaseMode;
}

/**
 * What a careless model writes in place of an entry. In the share of rounds that it is careless in, it leaves the round out (in
 * mode `iterative` it stops there), misspells a table, or filters all rows away. It writes the sentences of the answer whose
 * numbers stand in the prompt, except for the same share, and some with wrong numbers. If it has to reckon with the rows
 * itself, it gets half as many right. Model, mode and question decide, so that a repeated request gets the same reply.
 */
function writtenBy(
  { model, carelessness, mode }: CarelessModel,
  entry: ScriptedDatabaseQuestion,
  prompt: string,
): ScriptedDatabaseQuestion {
  const draw = (...place: readonly (string | number)[]): number =>
    seededDraw('careless', model, mode, entry.question, ...place);
  const faults = entry.rounds.map((_, place) => draw('round', place) * (3 / carelessness));
  const stop = mode === 'iterative' ? faults.findIndex((fault) => fault < 1) : -1;
  const rounds = entry.rounds.slice(0, stop === -1 ? undefined : stop).flatMap((round, place) => {
    const fault = faults[place] ?? Infinity;
    if (fault < 1) return [];
    return [fault < 3 ? { ...round, query: faulty(round.query, fault < 2) } : round];
  });
  const shown = numbersIn(prompt);
  const sentences = entry.answer.split(/(?<=[\p{Ll}\d][.!?:])\s+/u).flatMap((sentence, place) => {
    const isShown = [...numbersIn(sentence)].every((number) => shown.has(number));
    const chance = mode === 'no-interaction' ? 0.5 : isShown ? 1 : 0;
    const luck = draw('sentence', place);
    if (luck < chance * (1 - carelessness)) return [sentence];
    return luck > 1 - carelessness / 3 ? [withWrongNumbers(sentence)] : [];
  });
  return { ...entry, rounds, answer: sentences.join(' ') };
}

const faulty = (query: string, isMisspelt: boolean): string =>
  isMisspelt
    ? query.replace(/\b(FROM|JOIN) ([a-z]\w*)/, '$1 all_$2')
    : `SELECT * FROM (${query}) WHERE false`;

const modeOf = (prompt: string): DatabaseMode => {
  if (prompt.includes('\n\n[Rows]:\n')) return 'no-interaction';
  return prompt.includes('\n\n[Rounds]:\n') ? 'iterative' : 'sequential';
};

const numbersIn = (text: string): ReadonlySet<number> =>
  new Set((text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number));

/** Years and dates stay. */
const withWrongNumbers = (sentence: string): string =>
  sentence.replace(/(?<![\d.-])\d{1,3}(?:\.\d+)?(?![\d-])/g, (number) =>
    String(Math.round(15 * Number(number)) / 10 + 1),
  );
