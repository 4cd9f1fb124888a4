import { createHash } from 'node:crypto';
import { anyValueOfJson, type Action } from '../domain/agent/actions/action.js';
import { acceptance } from '../domain/agent/prompts/prompt-texts.js';
import type { ModelPlan } from '../domain/agent/turn-plan.js';
import type { Json } from '../domain/formats/python/value.js';
import type { Conversation } from './conversation.js';
import { fillPlaceholders, fillText, type Evidence } from './placeholders.js';
import { oneLine, type LookUp, type Script, type ScriptedQuestion } from './script.js';

/** How a turn may look things up: each makes an action of a text, and is null where nothing like it is offered. */
interface Means {
  readonly sql: ((statement: string) => Action) | null;
  readonly search: ((query: string) => Action) | null;
}

/** @param prompt - tells the collections there are, and the papers in question */
function meansOf(plan: ModelPlan, prompt: string): Means {
  switch (plan.kind) {
    case 'answer':
    case 'judgement':
      return { sql: null, search: null };
    case 'sql':
      return { sql: queryTables, search: null };
    case 'action': {
      const offers = (name: Action['kind']): boolean => plan.actions.includes(name);
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

/** Over the passages of the papers in question, in the first collection that the prompt describes. */
function searchCollection(prompt: string): (query: string) => Action {
  const [, collection = ''] = /"collection_name": "([^"]+)"/.exec(prompt) ?? [];
  const [, several, papers] = /^\[Anchor PDF(s?)\]: (['"[].*)$/m.exec(prompt) ?? [];
  const filter = papers === undefined ? '' : `pdf_id ${several === '' ? '==' : 'in'} ${papers}`;
  return (query) => ({
    kind: 'RetrieveFromVectorstore',
    query,
    collection_name: collection,
    table_name: 'chunks',
    column_name: 'text_content',
    filter,
    limit,
  });
}

const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 8);

/** What a made-up conversation answers, known beforehand so that a run can be checked. */
export const generatedAnswer = (question: string): string => `answer ${shortHash(question)}`;

/** Cheap, and valid on every store of papers. */
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

/** A conversation of `turns` turns by the means there are: looks things up, and answers in the last. */
function generatedQuestion(question: string, turns: number, means: Means): ScriptedQuestion {
  const possible = lookUps
    .map((lookUp) => lookUp(question))
    .filter(({ sql }) => (sql === undefined ? means.search : means.sql) !== null);
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

/** What the model says, before it is put into the form that was asked for. */
export type Said =
  | { readonly kind: 'turn'; readonly thought: string; readonly action: Action }
  /** As it stands, whatever was asked for. */
  | { readonly kind: 'text'; readonly text: string };

/** What a model with this script says next, from the messages alone; `undefined` where the script has nothing for them. */
export function createReplies(
  script: Script,
): (conversation: Conversation, plan: ModelPlan) => Said | undefined {
  const questions = new Map(script.questions.map((entry) => [oneLine(entry.question), entry]));

  return (conversation, plan) => {
    const { question, prompt, lastMessage } = conversation;
    const known = script.prompts.find(({ includes }) => lastMessage.includes(includes));
    if (plan.kind === 'judgement') return { kind: 'text', text: known?.reply ?? contentment };
    const means = meansOf(plan, prompt);
    const scripted = question === undefined ? undefined : questions.get(oneLine(question));
    if (scripted) return nextTurn(scripted, conversation, plan, means);
    if (known) return { kind: 'text', text: known.reply };
    if (script.generated === undefined || question === undefined) return undefined;
    const generated = generatedQuestion(question, script.generated.turns, means);
    return nextTurn(generated, conversation, plan, means);
  };
}

/** What a judge says of which the script knows nothing. */
const contentment = `The simulated model takes what it is given.\n\n${acceptance}`;

/** What the script says in one turn, by the means at hand. */
type Turn = { readonly thought: string } & (
  | { readonly kind: 'look-up'; readonly template: string; readonly act: (text: string) => Action }
  | { readonly kind: 'verbatim'; readonly action: string }
  | { readonly kind: 'answer'; readonly value: Json }
);

function nextTurn(
  scripted: ScriptedQuestion,
  { lastThought, turns: said, evidence }: Conversation,
  plan: ModelPlan,
  means: Means,
): Said {
  const answer: Turn = { kind: 'answer', ...scripted.answer };
  if (plan.kind === 'answer') return say(answer, evidence);
  const lookUps = possibleTurns(scripted, means);
  const mayAnswer = plan.kind === 'action' && plan.actions.includes('GenerateAnswer');
  if (!mayAnswer) return say(onlyAttempt(lookUps) ?? ownWords(scripted, means) ?? answer, evidence);
  const turns = [...lookUps, answer];
  const last = turns.findIndex(({ thought }) => oneLine(thought) === oneLine(lastThought ?? ''));
  // A format that keeps no thought leaves only their number. The answer is repeated if the agent would not accept it.
  return say(turns[last === -1 ? said : last + 1] ?? answer, evidence);
}

/** What is not offered is left out; where that leaves nothing of what the script looks up, the question's own words are. */
function possibleTurns(scripted: ScriptedQuestion, means: Means): readonly Turn[] {
  const turns = scripted.steps.flatMap((step): readonly Turn[] => {
    if ('action' in step) return [{ kind: 'verbatim', ...step }];
    const { thought, search, sql } = step;
    if (means.search && search !== undefined)
      return [{ kind: 'look-up', thought, template: search, act: means.search }];
    if (means.sql && sql !== undefined)
      return [{ kind: 'look-up', thought, template: sql, act: means.sql }];
    return [];
  });
  const instead = turns.length === 0 && scripted.steps.length > 0 && ownWords(scripted, means);
  return instead ? [instead] : turns;
}

function ownWords({ question }: ScriptedQuestion, { search, sql }: Means): Turn | null {
  const thought = 'My script says nothing for these means, so I look at what is there.';
  if (search) return { kind: 'look-up', thought, template: question, act: search };
  return sql && { kind: 'look-up', thought, template: overview, act: sql };
}

const overview = 'SELECT title, abstract FROM metadata ORDER BY title LIMIT 5';

/** Of the look-ups that need no other before them the last: those before it may have been tried in vain. */
const onlyAttempt = (turns: readonly Turn[]): Turn | undefined =>
  turns.findLast(
    (turn) =>
      turn.kind === 'look-up' && fillText(turn.template, { rows: [], texts: [] }).kind === 'filled',
  );

function say(turn: Turn, evidence: Evidence): Said {
  const { thought } = turn;
  switch (turn.kind) {
    case 'verbatim':
      return { kind: 'text', text: `[Thought]: ${thought}\n[Action]:\n${turn.action}` };
    case 'look-up': {
      const filling = fillText(turn.template, evidence);
      const action =
        filling.kind === 'filled' ? turn.act(filling.value) : apology(filling.placeholder);
      return { kind: 'turn', thought, action };
    }
    case 'answer': {
      const filling = fillPlaceholders(turn.value, evidence);
      const action =
        filling.kind === 'filled' ? answerOf(filling.value) : apology(filling.placeholder);
      return { kind: 'turn', thought, action };
    }
  }
}

const answerOf = (value: Json): Action => ({
  kind: 'GenerateAnswer',
  answer: anyValueOfJson(value),
});

/** An answer that no evaluator takes for right. */
const apology = (placeholder: string): Action =>
  answerOf(`The simulated model found nothing for ${placeholder} in what it was shown.`);
