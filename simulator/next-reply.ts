import { createHash } from 'node:crypto';
import { anyValueOfJson, type Action, type ActionName } from '../domain/agent/actions/action.js';
import { acceptance } from '../domain/agent/prompts/prompt-texts.js';
import type { ModelPlan } from '../domain/agent/turn-plan.js';
import type { Json } from '../domain/formats/python/value.js';
import type { Conversation } from './conversation.js';
import {
  fillPlaceholders,
  fillText,
  oneLine,
  type Evidence,
  type LookUp,
  type Script,
  type ScriptedQuestion,
} from './script.js';

/** The retrieval actions that a turn offers. Each function makes an action from a text; null if no such action is offered. */
interface Retrieval {
  readonly sql: ((statement: string) => Action) | null;
  readonly search: ((query: string) => Action) | null;
}

/** @param prompt - names the collections, and the papers that the question is about */
function retrievalOf(plan: ModelPlan, prompt: string): Retrieval {
  switch (plan.kind) {
    case 'answer':
    case 'database':
    case 'judgement':
    case 'program':
      return { sql: null, search: null };
    case 'sql':
      return { sql: queryTables, search: null };
    case 'action': {
      const offers = (name: ActionName): boolean => plan.actions.includes(name);
      return {
        sql: offers('RetrieveFromDatabase') ? queryTables : null,
        search: offers('ClassicRetrieve')
          ? searchPassages
          : offers('RetrieveFromVectorstore')
            ? searchCollection(prompt)
            : null,
      };
    }
  }
}

const limit = anyValueOfJson(5);

const queryTables = (sql: string): Action => ({ kind: 'RetrieveFromDatabase', sql });

const searchPassages = (query: string): Action => ({ kind: 'ClassicRetrieve', query, limit });

/** Searches the passages of the question's papers, or the first texts of a database, in the first collection of the prompt. */
function searchCollection(prompt: string): (query: string) => Action {
  const [, collection = ''] = /"collection_name": "([^"]+)"/.exec(prompt) ?? [];
  const [, several, papers] = /^\[Anchor PDF(s?)\]: (['"[].*)$/m.exec(prompt) ?? [];
  const filter = papers === undefined ? '' : `pdf_id ${several === '' ? '==' : 'in'} ${papers}`;
  return (query) => ({
    kind: 'RetrieveFromVectorstore',
    query,
    collection_name: collection,
    ...searchedIn(prompt),
    filter,
    limit,
  });
}

const passages = { table_name: 'chunks', column_name: 'text_content' };
const encodedPair = /\[\s*("(?:[^"\\]|\\.)*"),\s*("(?:[^"\\]|\\.)*"),\s*"text"\s*\]/g;

/** Prompts for databases list the columns that can be searched. */
function searchedIn(prompt: string): typeof passages {
  const pairs = [...prompt.matchAll(encodedPair)].map(([, table = '""', column = '""']) => ({
    table_name: String(JSON.parse(table)),
    column_name: String(JSON.parse(column)),
  }));
  const hasPassages = pairs.some(({ table_name }) => table_name === passages.table_name);
  return hasPassages ? passages : (pairs[0] ?? passages);
}

const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 8);

/** The answer of a generated conversation, known in advance so that a dataset can hold it as gold. */
export const generatedAnswer = (question: string): string => `answer ${shortHash(question)}`;

/** Cheap actions that are valid on every store of papers. */
const lookUps: readonly ((question: string) => Omit<LookUp, 'thought'>)[] = [
  () => ({ sql: 'SELECT paper_id, title, num_pages FROM metadata ORDER BY title LIMIT 3;' }),
  (question) => ({ search: question.slice(0, 80) }),
  () => ({
    sql: 'SELECT page_number, length(page_content) AS characters FROM pages ORDER BY page_number LIMIT 5;',
  }),
  (question) => ({ search: `${shortHash(question)} results` }),
  () => ({
    sql: 'SELECT ref_paper_id, count(*) AS passages FROM chunks GROUP BY ref_paper_id ORDER BY ref_paper_id LIMIT 5;',
  }),
];

/** A conversation of `turns` turns: retrieval actions that the turn offers, and the answer in the last turn. */
function generatedQuestion(
  question: string,
  turns: number,
  retrieval: Retrieval,
): ScriptedQuestion {
  const possible = lookUps
    .map((lookUp) => lookUp(question))
    .filter(({ sql }) => (sql === undefined ? retrieval.search : retrieval.sql) !== null);
  const thought = (turn: number): string => `Step ${turn} of ${turns} for ${shortHash(question)}`;
  return {
    question,
    steps: Array.from({ length: turns - 1 }, (_, index) => ({
      thought: thought(index + 1),
      ...possible[index % possible.length],
    })),
    answer: { thought: thought(turns), value: generatedAnswer(question) },
  };
}

/** A reply, before it is written in the form that the request asks for. */
export type Reply =
  | { readonly kind: 'turn'; readonly thought: string; readonly action: Action }
  /** Sent unchanged, whatever the request asks for. */
  | { readonly kind: 'text'; readonly text: string };

/** Returns a function that chooses the next reply from the messages alone; `undefined` if the script has none for them. */
export function createReplies(
  script: Script,
): (conversation: Conversation, plan: ModelPlan) => Reply | undefined {
  const questions = new Map(script.questions.map((entry) => [oneLine(entry.question), entry]));

  return (conversation, plan) => {
    const { question, prompt, lastMessage } = conversation;
    const known = script.prompts.find(({ includes }) => lastMessage.includes(includes));
    if (plan.kind === 'judgement') return { kind: 'text', text: known?.reply ?? defaultJudgement };
    const retrieval = retrievalOf(plan, prompt);
    const scripted = question === undefined ? undefined : questions.get(oneLine(question));
    if (scripted) return nextTurn(scripted, conversation, plan, retrieval);
    if (known) return { kind: 'text', text: known.reply };
    if (script.generated === undefined || question === undefined) return undefined;
    const generated = generatedQuestion(question, script.generated.turns, retrieval);
    return nextTurn(generated, conversation, plan, retrieval);
  };
}

/** The judgement for which the script has no reply. */
const defaultJudgement = `The simulated model accepts every answer.\n\n${acceptance}`;

/** One turn of the script, with an action that is offered. */
type Turn = { readonly thought: string } & (
  | { readonly kind: 'look-up'; readonly template: string; readonly act: (text: string) => Action }
  | { readonly kind: 'verbatim'; readonly action: string }
  | { readonly kind: 'answer'; readonly value: Json }
);

function nextTurn(
  scripted: ScriptedQuestion,
  { lastThought, turns: turnCount, evidence }: Conversation,
  plan: ModelPlan,
  retrieval: Retrieval,
): Reply {
  const answer: Turn = { kind: 'answer', ...scripted.answer };
  if (plan.kind === 'answer') return replyOf(answer, evidence);
  const lookUps = possibleTurns(scripted, retrieval);
  const canAnswer = plan.kind === 'action' && plan.actions.includes('GenerateAnswer');
  if (!canAnswer) {
    return replyOf(
      lastIndependent(lookUps) ?? fallbackLookUp(scripted, retrieval) ?? answer,
      evidence,
    );
  }
  const turns = [...lookUps, answer];
  const last = turns.findIndex(({ thought }) => oneLine(thought) === oneLine(lastThought ?? ''));
  // If the format keeps no thoughts, the number of turns decides. If the agent has refused the answer, it is repeated.
  return replyOf(turns[last === -1 ? turnCount : last + 1] ?? answer, evidence);
}

/** The steps whose action is offered. If the script has steps but none is offered: a look-up by the question's own words. */
function possibleTurns(scripted: ScriptedQuestion, retrieval: Retrieval): readonly Turn[] {
  const turns = scripted.steps.flatMap((step): readonly Turn[] => {
    if ('action' in step) return [{ kind: 'verbatim', ...step }];
    const { thought, search, sql } = step;
    if (retrieval.search && search !== undefined)
      return [{ kind: 'look-up', thought, template: search, act: retrieval.search }];
    if (retrieval.sql && sql !== undefined)
      return [{ kind: 'look-up', thought, template: sql, act: retrieval.sql }];
    return [];
  });
  const fallback =
    turns.length === 0 && scripted.steps.length > 0 && fallbackLookUp(scripted, retrieval);
  return fallback ? [fallback] : turns;
}

function fallbackLookUp({ question }: ScriptedQuestion, { search, sql }: Retrieval): Turn | null {
  const thought = 'My script has no step for these actions, so I look at what the store has.';
  if (search) return { kind: 'look-up', thought, template: question, act: search };
  return sql && { kind: 'look-up', thought, template: overview, act: sql };
}

const overview = 'SELECT title, abstract FROM metadata ORDER BY title LIMIT 5';

/** The last look-up that needs no evidence of an earlier one. Earlier ones may be scripted to find nothing. */
const lastIndependent = (turns: readonly Turn[]): Turn | undefined =>
  turns.findLast(
    (turn) =>
      turn.kind === 'look-up' && fillText(turn.template, { rows: [], texts: [] }).kind === 'filled',
  );

function replyOf(turn: Turn, evidence: Evidence): Reply {
  const { thought } = turn;
  switch (turn.kind) {
    case 'verbatim':
      return { kind: 'text', text: `[Thought]: ${thought}\n[Action]:\n${turn.action}` };
    case 'look-up': {
      const filling = fillText(turn.template, evidence);
      const action =
        filling.kind === 'filled' ? turn.act(filling.value) : failedAnswer(filling.placeholder);
      return { kind: 'turn', thought, action };
    }
    case 'answer': {
      const filling = fillPlaceholders(turn.value, evidence);
      const action =
        filling.kind === 'filled' ? answerOf(filling.value) : failedAnswer(filling.placeholder);
      return { kind: 'turn', thought, action };
    }
  }
}

const answerOf = (value: Json): Action => ({
  kind: 'GenerateAnswer',
  answer: anyValueOfJson(value),
});

/** An answer that no evaluator scores as right. */
const failedAnswer = (placeholder: string): Action =>
  answerOf(`The simulated model found nothing for ${placeholder} in its observations.`);
