import { z } from 'zod';
import { exactJsonSchema, type ExactJson } from '../formats/json.js';
import { str, pythonFromJson, type PythonValue } from '../formats/python/value.js';
import { questionIdSchema } from '../ids.js';
import { databaseSourceSchema } from '../stores/database.js';
import { longFormGrade, longFormMatch, scaleOf } from './verdict.js';
import { executionMatch, executionProblem } from './execution-match/execution-options.js';
import { executionVerdict } from './execution-match/execution-verdict.js';
import { EvaluatorError, signatures, type ScoringMode, type Signature } from './scorer-options.js';
import { scorerNamed } from './scorers.js';

/** An evaluation function (docs/reference/evaluation-functions.md) and its named arguments, the gold answer among them. */
export const evaluatorSchema = z.object({
  eval_func: z.string().min(1),
  eval_kwargs: z.record(z.string(), exactJsonSchema),
});
export type Evaluator = Readonly<z.infer<typeof evaluatorSchema>>;

/** `error`: the evaluator cannot score any answer. `warning`: it probably does not do what its author meant. */
interface EvaluatorProblem {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** It is one under the strict scorer alone. */
  readonly isStrict?: true;
  /** Whether it cannot stand in published golds: there is no such function, or it is of the other category. */
  readonly isFatal?: true;
}

const noScorers: ReadonlySet<string> = new Set();

/**
 * Checks an evaluator and the inner evaluators of logical functions, before a run spends anything on the question.
 * @param own - the scorers of plugins
 */
export function evaluatorProblems(
  evaluator: Evaluator,
  own: ReadonlySet<string> = noScorers,
): readonly EvaluatorProblem[] {
  const { eval_func: name, eval_kwargs: options } = evaluator;
  if (own.has(name)) return [];
  const signature = signatures.get(name);
  if (!signature) return [fatal(`the evaluation function ${name} is unknown`)];
  const inner = innerEvaluators(name, options);
  const problems = [
    ...signature.required
      .filter((option) => !(option in options))
      .map((option) => error(`${name} lacks ${option}`)),
    ...Object.keys(options).flatMap((option) => unknownOptionProblem(name, signature, option)),
    ...valueProblems(name, options),
    ...inner.flatMap((part) => {
      if ('severity' in part) return [part];
      if (isAlone(part.eval_func) || own.has(part.eval_func)) {
        return [error(`${part.eval_func} is no part of ${name}`)];
      }
      return scaleOf(part.eval_func) === 'unit'
        ? evaluatorProblems(part)
        : [error(`${name} cannot contain the grades from 1 to 5 of ${part.eval_func}`)];
    }),
  ];
  const isChecked = inner.length > 0 || name === 'eval_program';
  return isChecked || problems.some(({ severity }) => severity === 'error')
    ? problems
    : [...problems, ...goldProblems(evaluator)];
}

const isAlone = (name: string): boolean => name === executionMatch || name === 'eval_program';

/** Whether an answer may need a judge. In a logical function another part may decide. */
export const mayNeedJudge = ({ eval_func, eval_kwargs }: Evaluator): boolean =>
  signatures.get(eval_func)?.judged === true ||
  innerEvaluators(eval_func, eval_kwargs).some(
    (inner) => !('severity' in inner) && mayNeedJudge(inner),
  );

function unknownOptionProblem(
  name: string,
  { required, optional, exact }: Signature,
  option: string,
): readonly EvaluatorProblem[] {
  // A program is told all of them.
  if (name === 'eval_program') return [];
  if (required.includes(option) || optional.includes(option)) return [];
  if (exact) return [error(`${name} accepts no ${option}`)];
  return [warning(`${name} knows no ${option}, which therefore changes nothing`)];
}

type Options = Evaluator['eval_kwargs'];

function valueProblems(name: string, options: Options): readonly EvaluatorProblem[] {
  const { gold, threshold, lowercase } = options;
  const problems: EvaluatorProblem[] = [];
  if (name === executionMatch) {
    const problem = executionProblem(options);
    if (problem !== null) problems.push(error(`${name}: ${problem}`));
  }
  if (name === 'eval_program') {
    const { program } = options;
    if (typeof program === 'string' && program.trim() !== '') return [];
    return [error(`${name} needs a command as its program, a text`)];
  }
  if (typeof threshold === 'number' && threshold > 0 && threshold <= 1) {
    problems.push(warning(`${name} has a threshold of ${threshold}, which goes from 0 to 100`));
  }
  if (typeof lowercase === 'string') {
    problems.push(warning(`${name} has a text for lowercase, and any text is on`));
  }
  if (name === 'eval_string_exact_match' && Array.isArray(gold)) {
    problems.push({ ...warning(`${name} has a list for gold`), isStrict: true });
  }
  return problems;
}

const innerListsSchema = z.object({
  eval_func_list: z.array(z.string()),
  eval_kwargs_list: z.array(z.record(z.string(), exactJsonSchema)),
});

/** The inner evaluators of a logical function, or the error in their list. Empty for other functions. */
export function innerEvaluators(
  name: string,
  options: Options,
): readonly (Evaluator | EvaluatorProblem)[] {
  if (name === 'eval_negation') {
    const inner = evaluatorSchema.safeParse(options);
    return [inner.success ? inner.data : error(`${name} names no inner function and its options`)];
  }
  if (name !== 'eval_conjunction' && name !== 'eval_disjunction') return [];
  const { data: lists } = innerListsSchema.safeParse(options);
  if (lists?.eval_func_list.length !== lists?.eval_kwargs_list.length || !lists) {
    return [error(`${name} needs a list of functions and a list of as many options`)];
  }
  return lists.eval_func_list.map((inner, index) => ({
    eval_func: inner,
    eval_kwargs: lists.eval_kwargs_list[index] ?? {},
  }));
}

const golds = [
  'gold',
  'reference_answer',
  'candidate_reference_answers',
  'scoring_points',
  'formulas',
];

/** The right answers of an evaluator as texts: gold, reference answer, scoring points. */
export function goldTexts(evaluator: Evaluator | undefined): readonly string[] {
  if (evaluator === undefined || !signatures.has(evaluator.eval_func)) return [];
  const { eval_func: name, eval_kwargs: options } = evaluator;
  const inner = innerEvaluators(name, options).flatMap((each) =>
    'severity' in each ? [] : goldTexts(each),
  );
  if (inner.length > 0)
    return name === 'eval_negation' ? inner.map((text) => `not ${text}`) : inner;
  return golds.flatMap((gold) => {
    const value = options[gold];
    return value === undefined ? [] : [str(pythonFromJson(value))];
  });
}

/** Runs the scorer on its own gold, before an answer is paid: one that cannot read it can score no answer. */
function goldProblems(evaluator: Evaluator): readonly EvaluatorProblem[] {
  const [flaw, strictly] = [flawOfGold(evaluator, 'default'), flawOfGold(evaluator, 'strict')];
  const text = (who: string): string =>
    `${evaluator.eval_func} has a gold that ${who} use: ${flaw ?? strictly}`;
  if (flaw === null) {
    return strictly === null ? [] : [{ ...warning(text('--strict cannot')), isStrict: true }];
  }
  return [strictly === null ? warning(text('only --strict can')) : error(text('it cannot'))];
}

/** Null where a right answer by the gold has full marks, or only a judge or a database can tell. */
function flawOfGold({ eval_func, eval_kwargs }: Evaluator, mode: ScoringMode): string | null {
  const given = Object.entries(eval_kwargs).map(
    ([option, value]) => [option, pythonFromJson(value)] as const,
  );
  const comparison = { options: new Map(given), mode, part: '0', judge: null };
  const score = scorerNamed(eval_func);
  const flaws = rightAnswers(eval_kwargs).map((answer) => {
    try {
      const found =
        eval_func === executionMatch
          ? executionVerdict(eval_kwargs, answer, null)
          : score?.(answer, comparison);
      if (found?.kind === 'scored') return found.score === 1 ? null : 'as an answer, it scores 0';
      return found?.kind === 'unscored' && found.reason === 'gold-fails' ? found.message : null;
    } catch (problem) {
      if (problem instanceof EvaluatorError) return problem.message;
      throw problem;
    }
  });
  return flaws.includes(null) ? null : (flaws[0] ?? null);
}

const labelsSchema = z.array(z.tuple([z.string(), z.string()]));

/** The gold itself, or the first of several, as texts and as values; for `dabench` with its names. */
function rightAnswers({ gold, reference_answer, rule }: Options): readonly PythonValue[] {
  const right = gold ?? reference_answer ?? null;
  const labels = rule === 'dabench' ? labelsSchema.safeParse(right).data : undefined;
  const labelled = labels?.map(([name, value]) => `@${name}[${value}]`).join(' ');
  return [labelled ?? right, ...(Array.isArray(right) ? (right as ExactJson[]).slice(0, 1) : [])]
    .map(pythonFromJson)
    .flatMap((value) => [{ kind: 'str', value: str(value) }, value]);
}

const error = (message: string): EvaluatorProblem => ({ severity: 'error', message });
const fatal = (message: string): EvaluatorProblem => ({ ...error(message), isFatal: true });
const warning = (message: string): EvaluatorProblem => ({ severity: 'warning', message });

/** `conclusive`: one clear outcome. `interpretive`: several valid answers. They are scored on different scales. */
export const categories = ['conclusive', 'interpretive'] as const;
export type Category = (typeof categories)[number];

const refusalKinds = ['wrong', 'unscored'] as const;
export type Refusals = (typeof refusalKinds)[number];

/** A line of a dataset, in the format of the reference. Only `uuid` and `question` are required. Other keys are kept. */
export const datasetItemSchema = z.looseObject({
  uuid: questionIdSchema,
  question: z.string('is missing, or is no text').trim().min(1, 'must not be empty'),
  answer_format: z.string().default(''),
  tags: z.array(z.string()).default([]),
  anchor_pdf: z.array(z.string()).default([]),
  reference_pdf: z.array(z.string()).default([]),
  conference: z.array(z.string()).default([]),
  evaluator: evaluatorSchema.optional(),
  /** The database that the question is about. */
  database: databaseSourceSchema.optional(),
  category: z.enum(categories, { error: 'is conclusive or interpretive' }).optional(),
  /** The gold answer to a question about a database, as a long text. */
  referenceAnswer: z.string().optional(),
  /** What a refusal to answer is: a wrong answer, or none that is scored. @defaultValue wrong */
  refusals: z.enum(refusalKinds, { error: 'is wrong or unscored' }).optional(),
});
export type DatasetItem = Readonly<z.infer<typeof datasetItemSchema>>;

/** The evaluation function whose scores are the match of a category. */
export const evaluatorOfCategory: Readonly<Record<Category, string>> = {
  conclusive: longFormMatch,
  interpretive: longFormGrade,
};

/** The fields of an item that say how its answers are scored. */
export type ScoringFields = Pick<
  DatasetItem,
  'evaluator' | 'category' | 'referenceAnswer' | 'refusals'
> & {
  readonly question?: string | undefined;
};

/**
 * How an item's answers are scored: by its evaluator, else by comparison with its reference answer on the scale of its
 * category. Undefined if it says neither.
 */
export function evaluatorOf(item: ScoringFields): Evaluator | undefined {
  const { evaluator, category, question, referenceAnswer } = item;
  if (evaluator !== undefined) return evaluator;
  if (category === undefined || question === undefined || isBlank(referenceAnswer))
    return undefined;
  return {
    eval_func: evaluatorOfCategory[category],
    eval_kwargs: { question, reference_answer: referenceAnswer },
  };
}

const isBlank = (text: string | undefined): text is undefined => (text ?? '').trim() === '';

/**
 * Checks how an item's answers are scored, before a run spends anything on the question.
 * @param own - the scorers of plugins
 */
export function scoringProblems(
  item: ScoringFields,
  own: ReadonlySet<string> = noScorers,
): readonly EvaluatorProblem[] {
  const evaluator = evaluatorOf(item);
  if (evaluator !== undefined)
    return [...evaluatorProblems(evaluator, own), ...categoryProblems(item)];
  if (isBlank(item.referenceAnswer)) return [];
  const missing = item.category === undefined ? 'category' : 'question';
  return [warning(`it has a referenceAnswer and no ${missing}: its answers cannot be judged`)];
}

/** The scale follows the category: an answer is never judged on the other one. */
function categoryProblems({ evaluator, category }: ScoringFields): readonly EvaluatorProblem[] {
  const name = evaluator?.eval_func;
  const other = categories.find((each) => evaluatorOfCategory[each] === name);
  return category === undefined || other === undefined || other === category
    ? []
    : [
        fatal(
          `${evaluatorOfCategory[other]} judges ${other} questions, and the category is ${category}`,
        ),
      ];
}
