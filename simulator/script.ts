import { z } from 'zod';
import { readFileSync } from 'node:fs';
import { steps } from '../domain/building/item.js';
import { jsonIn } from '../domain/formats/json.js';
import type { Json } from '../domain/formats/python/value.js';
import { decisions, subTasks } from '../domain/scoring/review/panel.js';
import { UserError } from '../domain/user-error.js';

const thought = z.string().trim().min(1);

/** May contain placeholders (placeholders.ts). */
const template = z.string().min(1).superRefine(refusePlaceholderProblems);

/**
 * A look-up, written once for all methods and action formats. The search is used if it is offered, else the SQL statement.
 * If neither is offered, the step is skipped.
 */
const lookUpSchema = z
  .strictObject({ thought, search: template.optional(), sql: template.optional() })
  .refine(({ search, sql }) => (search ?? sql) !== undefined, {
    message: 'a step needs a search, a statement (sql) or both, or an action',
  });

/** Replaces the action in the reply, unchanged in every format: for replies that an agent must reject. */
const verbatimSchema = z.strictObject({ thought, action: z.string().min(1) });

const stepSchema = z.union([verbatimSchema, lookUpSchema], {
  error: 'a step needs a thought, and a search, sql, both, or an action',
});

export type LookUp = Readonly<z.infer<typeof lookUpSchema>>;

const scriptedQuestionSchema = z
  .strictObject({
    question: z.string().min(1),
    /** The turns before the answer, in order. */
    steps: z.array(stepSchema).default([]),
    answer: z.strictObject({
      thought,
      /** Its texts may contain placeholders. */
      value: z.json().superRefine(refusePlaceholderProblems),
    }),
  })
  .refine(({ steps, answer }) => areDistinct([...steps, answer].map(({ thought }) => thought)), {
    message: 'two turns of this question have the same thought, by which turns are recognised',
  });
export type ScriptedQuestion = Readonly<z.infer<typeof scriptedQuestionSchema>>;

const fraction = z.number().min(0).max(1);

/** The replies of a database method, whatever its mode. */
const databaseQuestionSchema = z.strictObject({
  question: z.string().min(1),
  /** The model whose replies these are. @defaultValue any model without an entry of its own */
  model: z.string().optional(),
  /** @defaultValue the needs of `rounds`, a line each */
  plan: z.string().optional(),
  /** @defaultValue the queries of `rounds` */
  queries: z.array(z.string()).readonly().optional(),
  /** In the order of the queries that fail. */
  repairs: z.array(z.string()).readonly().default([]),
  /** Of mode `iterative`; then it has enough. */
  rounds: z
    .array(z.strictObject({ need: z.string(), query: z.string() }))
    .readonly()
    .default([]),
  answer: z.string(),
});
export type ScriptedDatabaseQuestion = Readonly<z.infer<typeof databaseQuestionSchema>>;

/** The decision of reviewers and meta-reviewers about a part of an answer. */
const scriptedReviewSchema = z.strictObject({
  question: z.string().min(1),
  subTask: z.enum(subTasks),
  /** The member whose decision it is. @defaultValue each without an entry of its own */
  model: z.string().optional(),
  decision: z.enum(decisions),
  rationale: z.string().default('So the script has it.'),
});
export type ScriptedReview = Readonly<z.infer<typeof scriptedReviewSchema>>;

/** The reply to a step of building a dataset. */
const scriptedStepSchema = z.strictObject({
  step: z.enum(steps),
  /** A part of the prompt, such as the question. */
  includes: z.string().min(1),
  reply: z.string(),
  /** Whether the step is answered so again when its reply could not be used. */
  always: z.boolean().default(false),
});

/** The replies of the simulated model. The first field that has a reply is used. */
export const scriptSchema = z.strictObject({
  questions: z.array(scriptedQuestionSchema).default([]),
  databaseQuestions: z.array(databaseQuestionSchema).default([]),
  /** Models that fall short of `databaseQuestions` in this share of their rounds and sentences (database-replies.ts). */
  carelessness: z.record(z.string(), fraction).default({}),
  /** Other reviews follow a rule (`simulated-review.ts`). */
  reviews: z.array(scriptedReviewSchema).default([]),
  /** Other steps follow a rule (`simulated-building.ts`). */
  building: z.array(scriptedStepSchema).default([]),
  /** Replies to other prompts, such as a judge's: the reply if the last message contains `includes`. */
  prompts: z.array(z.strictObject({ includes: z.string().min(1), reply: z.string() })).default([]),
  /** For all other questions, generated conversations of this many turns, for load tests. */
  generated: z.strictObject({ turns: z.int().min(1) }).optional(),
});
export type Script = Readonly<z.infer<typeof scriptSchema>>;

/**
 * @param read - resolves a path to the text of its file
 * @throws UserError that names the file and its errors
 */
export function readScript(
  path: string,
  read: (path: string) => string = (file) => readFileSync(file, 'utf8'),
): Script {
  const json = jsonIn(read(path));
  if (json === undefined) throw new UserError(`script ${path} is not JSON`);
  const script = scriptSchema.safeParse(json);
  if (script.success) return script.data;
  throw new UserError(`script ${path} is not valid: ${z.prettifyError(script.error)}`);
}

/** Normalises white space, which rendering and wrapping may change. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const areDistinct = (thoughts: readonly string[]): boolean =>
  new Set(thoughts.map(oneLine)).size === thoughts.length;

function refusePlaceholderProblems(template: Json, context: z.core.$RefinementCtx): void {
  for (const message of placeholderProblems(template))
    context.addIssue({ code: 'custom', message });
}

/** One line of an observation in JSON format. */
export type Row = Readonly<Record<string, Json>>;

/** The observations in the model's window. */
export interface Evidence {
  /** The rows of the last observation if it is in JSON format, else none. */
  readonly rows: readonly Row[];
  /** All observations, the latest first: the cells of its rows, one a line, or else its text. */
  readonly texts: readonly string[];
}

type Filling<T extends Json = Json> =
  | { readonly kind: 'filled'; readonly value: T }
  | { readonly kind: 'nothing-found'; readonly placeholder: string };

/**
 * Fills a script's placeholders from the evidence, so that its answers depend on what the actions found:
 *
 *     {{0.page_number}}      a cell of the last observation's rows; rows count from 0
 *     {{*.title}}            a list of this cell of all rows that have it
 *     {{/(\d+) turns/}}      the match of a regular expression (its first group if it has one) in the latest
 *                            observation that matches; the flags i, m, s and u may follow
 *     {{#/(\d+) turns/}}     the same as a number
 *
 * A text that consists of one placeholder becomes the value itself. In a longer text the value is inserted as text.
 */
export function fillPlaceholders(template: Json, evidence: Evidence): Filling {
  return (
    nothingFound(template, evidence) ?? {
      kind: 'filled',
      value: mapTexts(template, (text) => {
        const [only, ...others] = piecesOf(text).filter((piece) => piece !== '');
        return typeof only === 'object' && others.length === 0
          ? (valueOf(only, evidence) ?? null)
          : filledText(text, evidence);
      }),
    }
  );
}

/** Like `fillPlaceholders`, but the result is always a text. */
export const fillText = (template: string, evidence: Evidence): Filling<string> =>
  nothingFound(template, evidence) ?? { kind: 'filled', value: filledText(template, evidence) };

/** The errors in the placeholders of a template, one message each. */
export function placeholderProblems(template: Json): readonly string[] {
  return textsIn(template)
    .flatMap(piecesOf)
    .flatMap((piece) => {
      if (typeof piece === 'string') {
        const invalid = /\{\{.{0,40}/s.exec(piece);
        return invalid ? [`not a placeholder: ${invalid[0]}`] : [];
      }
      try {
        if (piece.kind === 'match') new RegExp(piece.pattern, piece.flags);
        return [];
      } catch {
        return [`not a regular expression: ${piece.text}`];
      }
    });
}

type Placeholder = { /** As written. */ readonly text: string } & (
  | { readonly kind: 'cell'; readonly row: string; readonly column: string }
  | {
      readonly kind: 'match';
      readonly pattern: string;
      readonly flags: string;
      readonly asNumber: boolean;
    }
);

const grammar =
  /\{\{\s*(?:(?<row>\d+|\*)\.(?<column>[\w()*]+)|(?<number>#?)\s*\/(?<pattern>.+?)\/(?<flags>[imsu]*))\s*\}\}/g;

function piecesOf(template: string): readonly (string | Placeholder)[] {
  const pieces: (string | Placeholder)[] = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of template.matchAll(grammar)) {
    const { row = '', column, number, pattern = '', flags = '' } = groups;
    pieces.push(
      template.slice(end, index),
      column === undefined
        ? { kind: 'match', text, pattern, flags, asNumber: number === '#' }
        : { kind: 'cell', text, row, column },
    );
    end = index + text.length;
  }
  return [...pieces, template.slice(end)];
}

function nothingFound(
  template: Json,
  evidence: Evidence,
): Extract<Filling, { readonly kind: 'nothing-found' }> | null {
  const lacking = textsIn(template)
    .flatMap(piecesOf)
    .find((piece) => typeof piece !== 'string' && valueOf(piece, evidence) === undefined);
  return typeof lacking === 'object' ? { kind: 'nothing-found', placeholder: lacking.text } : null;
}

const filledText = (template: string, evidence: Evidence): string =>
  piecesOf(template)
    .map((piece) => (typeof piece === 'string' ? piece : bareText(valueOf(piece, evidence) ?? '')))
    .join('');

function valueOf(placeholder: Placeholder, { rows, texts }: Evidence): Json | undefined {
  if (placeholder.kind === 'match') return matchIn(texts, placeholder);
  const { row, column } = placeholder;
  if (row !== '*') return rows[Number(row)]?.[column];
  const cells = rows.map((each) => each[column]).filter((cell) => cell !== undefined);
  return cells.length === 0 ? undefined : cells;
}

function matchIn(
  texts: readonly string[],
  { pattern, flags, asNumber }: Extract<Placeholder, { readonly kind: 'match' }>,
): Json | undefined {
  const matcher = new RegExp(pattern, flags);
  const match = texts.map((text) => matcher.exec(text)).find((found) => found !== null);
  const found = match?.[1] ?? match?.[0];
  return found !== undefined && asNumber ? numberIn(found) : found;
}

/** Accepts thousands separators, as in `1,200`. */
function numberIn(text: string): number | undefined {
  const digits = text.replaceAll(',', '').trim();
  return digits === '' || Number.isNaN(Number(digits)) ? undefined : Number(digits);
}

export const bareText = (cell: Json): string =>
  typeof cell === 'string' ? cell : JSON.stringify(cell);

function textsIn(template: Json): readonly string[] {
  const texts: string[] = [];
  mapTexts(template, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** Applies `map` to every text of a value except keys, with the reviver of `JSON.parse`. */
const mapTexts = (template: Json, map: (text: string) => Json): Json =>
  JSON.parse(JSON.stringify(template), (_key, value: Json) =>
    typeof value === 'string' ? map(value) : value,
  ) as Json; // what the reviver returns
