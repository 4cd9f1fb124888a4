import { z } from 'zod';
import {
  databaseModes,
  tracedQuerySchema,
  type DatabaseMode,
  type TracedQuery,
} from '../../agent/database-qa/answer-trace.js';
import { outcomeKinds } from '../../agent/question-result.js';
import { firstIssue } from '../../formats/json.js';
import { categories, type Category } from '../../scoring/dataset-item.js';
import { decisions, panelSchema, subTasks } from '../../scoring/review/panel.js';
import { countsOf, groupsOf } from '../../statistics/means.js';

/** A text, with its lengths if they are known; words are counted where they are not. */
const lengthSchema = z.object({
  text: z.string(),
  words: z.int().nonnegative().optional(),
  tokens: z.int().nonnegative().optional(),
});

/** The score is on the scale of the question's category: 0 or 1, or from 1 to 5. */
const nativeVerdictSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('scored'), score: z.number() }),
  z.object({ kind: z.literal('unscored'), reason: z.string() }),
]);

const modelsSchema = z.array(z.string()).readonly();

/** All that the tables need of one answer over a database: how it came about, its verdict and its panels. */
export const answerRecordSchema = z
  .object({
    uuid: z.string().min(1),
    epoch: z.int().min(1).default(1),
    /** Names the database: the scores of its questions are correlated. */
    database: z.string().optional(),
    /** Rows of all tables of the database. Null if unknown. */
    size: z.int().nonnegative().nullable().default(null),
    /** Null if the item has none: the answer can be reviewed, and has no match score. */
    category: z.enum(categories).nullable().default(null),
    method: z.enum(databaseModes),
    model: z.string().min(1),
    outcome: z.enum(outcomeKinds),
    stoppedBy: z.enum(['agent', 'cap']).default('agent'),
    plan: lengthSchema,
    queries: z.array(tracedQuerySchema).readonly(),
    answer: lengthSchema,
    /** Null if the answer was not judged. */
    verdict: nativeVerdictSchema.nullable().default(null),
    /** The models that judged it. */
    judges: modelsSchema.default([]),
    /** By sub-task. A sub-task is absent if it was not reviewed or does not apply. */
    panels: z
      .partialRecord(
        z.enum(subTasks),
        panelSchema.extend({
          /** As in `ReviewedPanel`. */
          reversed: z.array(z.enum(decisions).nullable()).readonly().optional(),
          models: z.object({ reviewers: modelsSchema, metaReviewers: modelsSchema }).optional(),
        }),
      )
      .default({}),
  })
  .refine(
    ({ category, verdict }) => verdict?.kind !== 'scored' || onScale(category, verdict.score),
    {
      path: ['verdict', 'score'],
      error: 'is not on the scale of the category: 0 or 1 if conclusive, 1 to 5 if interpretive',
    },
  );
export type AnswerRecord = Readonly<z.infer<typeof answerRecordSchema>>;

function onScale(category: Category | null, score: number): boolean {
  switch (category) {
    case 'conclusive':
      return score === 0 || score === 1;
    case 'interpretive':
      return score >= 1 && score <= 5;
    case null:
      return false;
  }
}

/** Words as white space separates them. */
export const wordsIn = ({ text, words }: AnswerRecord['plan']): number =>
  words ?? text.split(/\s+/).filter((word) => word !== '').length;

/** The queries in the agent's own output, without repairs. */
export const generatedQueries = ({
  queries,
}: Pick<AnswerRecord, 'queries'>): readonly TracedQuery[] =>
  queries.filter(({ repairOf }) => repairOf === null);

/** Queries without error that return at least one row (paper, §4.3). */
export const validQueries = (answer: Pick<AnswerRecord, 'queries'>): number =>
  generatedQueries(answer).filter(({ status }) => status === 'rows').length;

/** Whether the agent never questioned the database: its answer is a guess, or rests on rows in its prompt. */
export const isWithoutInteraction = (answer: Pick<AnswerRecord, 'queries'>): boolean =>
  generatedQueries(answer).length === 0;

/** The score of an answer that counts; null without. An empty answer has one if `--judge-empty` gave it. */
export const matchScore = ({ outcome, verdict }: AnswerRecord): number | null =>
  verdict?.kind === 'scored' && (outcome === 'answered' || outcome === 'abstained')
    ? verdict.score
    : null;

/** The answers of one agent: a row of the tables. */
export interface AgentAnswers {
  readonly agent: Agent;
  readonly answers: readonly AnswerRecord[];
}

export interface Agent {
  /** Null for answers that were made elsewhere. */
  readonly run: string | null;
  /** As the provider returned it. */
  readonly model: string;
  /** The model that the run asked for, which pairs it with others. Absent for answers that were made elsewhere. */
  readonly configured?: string;
  readonly method: DatabaseMode;
  /** Whether its own model judges or reviews its answers: the paper names that bias in its limitations. @defaultValue false */
  readonly judgesItself?: true;
}

/** A file of answers, possibly made elsewhere. */
const answersFileSchema = z.object({ answers: z.array(z.unknown()).min(1) });

interface AnswersFile {
  /** By model and method, in order of first appearance. */
  readonly agents: readonly AgentAnswers[];
  /** Each names its answer. */
  readonly problems: readonly string[];
}

export function readAnswers(json: unknown): AnswersFile {
  const file = answersFileSchema.safeParse(json);
  if (!file.success) return { agents: [], problems: [firstIssue(file.error)] };
  const problems: string[] = [];
  const answers = file.data.answers.flatMap((value, index) => {
    const parsed = answerRecordSchema.safeParse(value);
    if (parsed.success) return [parsed.data];
    problems.push(`answer ${index + 1}: ${firstIssue(parsed.error)}`);
    return [];
  });
  const names = answers.map(
    ({ uuid, epoch, model, method }) => `${uuid}, epoch ${epoch}, by ${model}, ${method}`,
  );
  const doubled = [...countsOf(names)].filter(([, count]) => count > 1);
  return {
    agents: agentsIn(answers),
    problems: [...problems, ...doubled.map(([name, count]) => `${count} answers to ${name}`)],
  };
}

const agentsIn = (answers: readonly AnswerRecord[]): readonly AgentAnswers[] =>
  [...groupsOf(answers, ({ model, method }) => `${method} ${model}`).values()].flatMap((own) =>
    own.slice(0, 1).map(({ model, method }) => ({
      agent: { run: null, model, method },
      answers: own,
    })),
  );

/** The answers to the questions that every agent was asked. */
export function onCommonQuestions(agents: readonly AgentAnswers[]): readonly AgentAnswers[] {
  const asked = agents.map(({ answers }) => new Set(answers.map(({ uuid }) => uuid)));
  return agents.map(({ agent, answers }) => ({
    agent,
    answers: answers.filter(({ uuid }) => asked.every((uuids) => uuids.has(uuid))),
  }));
}
