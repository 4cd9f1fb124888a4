import { stageOfPrompt } from '../domain/agent/database-qa/prompts.js';
import { enoughMark, needMark } from '../domain/agent/database-qa/read-reply.js';
import type { DatabaseStage } from '../domain/agent/database-qa/stages.js';
import type { ChatRequest } from './chat-request.js';
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
    /^\[Question\]: (.*?)\n\n\[Database Schema\]:/ms.exec(prompt)?.[1] ?? '',
  );
  const entries = script.databaseQuestions.filter((entry) => oneLine(entry.question) === question);
  const entry =
    entries.find((each) => each.model === model) ??
    entries.find((each) => each.model === undefined) ??
    (script.generated && generated(question, prompt));
  return entry && replyOf(entry, stage, prompt.match(/^Round \d+$/gm)?.length ?? 0);
}

/** @param rounds - rounds that have ended */
function replyOf(
  { plan, queries, repairs, rounds, answer }: ScriptedDatabaseQuestion,
  stage: DatabaseStage,
  ended: number,
): string {
  const round = rounds[ended];
  switch (stage) {
    case 'plan':
      return plan;
    case 'queries':
      return queries.map(fenced).join('\n\n');
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
    plan: rounds.map(({ need }) => `- ${need}`).join('\n'),
    queries: rounds.map(({ query }) => query),
    repairs: [],
    rounds,
    answer: generatedAnswer(question),
  };
}
