import { z } from 'zod';
import { isMap, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml';
import { readCsv, type CsvRecord } from '../../formats/csv.js';
import {
  exactInteger,
  exactJson,
  exactJsonSchema,
  firstIssue,
  jsonIn,
} from '../../formats/json.js';
import { readJsonLines } from '../../formats/json-lines.js';
import type { Evaluator } from '../../scoring/dataset-item.js';
import {
  goldEvaluator,
  gather,
  importFields,
  withEvaluator,
  type GoldComparison,
  type FieldNames,
  type ImportedQuestion,
  type ImportedQuestions,
} from './imported-question.js';

interface CsvOptions {
  /** Of columns that are not called as the field they hold. */
  readonly names: FieldNames;
  /** One character. */
  readonly separator: string;
  readonly comparison: GoldComparison;
}

/** Reads questions from CSV with a header. Columns that mean nothing here are kept under their names; empty cells are left out. */
export function readCsvDataset(
  text: string,
  { names, separator, comparison }: CsvOptions,
): ImportedQuestions {
  const reading = readCsv(text, separator);
  if (reading.kind === 'problem') return { questions: [], problems: [reading.problem] };
  // Spreadsheets end with rows of empty cells.
  const [header, ...records] = reading.records.filter(({ cells }) =>
    cells.some((cell) => cell !== ''),
  );
  if (header === undefined) return { questions: [], problems: ['it has no header'] };
  const columns = header.cells.map((name) => name.trim());
  const problems = headerProblems(columns, names);
  if (problems.length > 0) return { questions: [], problems };
  return gather(records.map((record) => rowQuestion(record, columns, { names, comparison })));
}

function headerProblems(columns: readonly string[], names: FieldNames): readonly string[] {
  const missing = [...new Set([...Object.values(names), names.question ?? 'question'])].filter(
    (name) => !columns.includes(name),
  );
  const doubled = columns.filter((name, index) => columns.indexOf(name) !== index);
  return [
    ...missing.map(
      (name) =>
        `line 1: there is no column ${name}, but ${columns.join(', ')}; --field question=COLUMN names the one with the questions`,
    ),
    ...doubled.map((name) => `line 1: there are two columns ${name}`),
  ];
}

function rowQuestion(
  { line, cells }: CsvRecord,
  columns: readonly string[],
  { names, comparison }: Pick<CsvOptions, 'names' | 'comparison'>,
): ImportedQuestion | string {
  const place = `line ${line}`;
  if (cells.length !== columns.length) {
    return `${place}: it has ${cells.length} cells, and the header ${columns.length}`;
  }
  const cellOf = new Map(columns.map((name, index) => [name, cells[index] ?? '']));
  const field = (name: (typeof importFields)[number]) => cellOf.get(names[name] ?? name) ?? '';
  const known = new Set(importFields.map((name) => names[name] ?? name));
  const others = [...cellOf].filter(([name, cell]) => !known.has(name) && cell !== '');
  const imported = {
    place,
    uuid: field('uuid') === '' ? null : field('uuid'),
    question: field('question'),
    others: {
      ...(field('answer_format') !== '' && { answer_format: field('answer_format') }),
      ...(field('tags') !== '' && { tags: listIn(field('tags')) }),
      ...(field('anchor_pdf') !== '' && { anchor_pdf: listIn(field('anchor_pdf')) }),
      ...Object.fromEntries(others),
    },
  };
  const gold = field('gold');
  if (gold === '') return { ...imported, evaluator: null };
  return withEvaluator(imported, goldEvaluator([gold], imported.question, comparison));
}

/** A list in JSON, or between semicolons. */
function listIn(cell: string): readonly unknown[] {
  const list = jsonIn(cell);
  if (Array.isArray(list)) return list;
  return cell
    .split(';')
    .map((member) => member.trim())
    .filter((member) => member !== '');
}

const messageSchema = z.object({
  role: z.string(),
  content: z.union([
    z.string(),
    z.array(
      z.object({
        type: z.literal('text'),
        text: z.string(),
      }),
    ),
  ]),
});
type EvalsMessage = z.infer<typeof messageSchema>;

/** A line of a file of samples of OpenAI Evals. */
const sampleSchema = z.looseObject(
  {
    input: z.union([z.string().min(1), z.array(messageSchema).min(1)], {
      error: 'must be a text, or messages of text with their roles',
    }),
    ideal: z
      .union([z.string(), z.array(z.string()).min(1)], { error: 'must be a text, or some texts' })
      .optional(),
    uuid: z.string({ error: 'must be a text' }).optional(),
  },
  { error: 'is not a JSON object' },
);
type EvalsSample = z.infer<typeof sampleSchema>;

/**
 * Reads samples of OpenAI Evals. A system message stands before the question; a conversation of several turns is written
 * out with its roles. Which of the ideals is met does not matter.
 */
export function readOpenAiEvals(text: string, comparison: GoldComparison): ImportedQuestions {
  const { lines, problems } = readJsonLines(text, sampleSchema);
  const read = gather(
    lines.map(({ line, value }) => sampleQuestion(`line ${line}`, value, comparison)),
  );
  return { ...read, problems: [...problems, ...read.problems] };
}

function sampleQuestion(
  place: string,
  { input, ideal, uuid, ...others }: EvalsSample,
  comparison: GoldComparison,
): ImportedQuestion | string {
  const question = typeof input === 'string' ? input : conversationText(input);
  const imported = { place, uuid: uuid ?? null, question, others };
  if (ideal === undefined) return { ...imported, evaluator: null };
  const golds = typeof ideal === 'string' ? [ideal] : ideal;
  return withEvaluator(imported, goldEvaluator(golds, question, comparison));
}

function conversationText(messages: readonly EvalsMessage[]): string {
  const asked = messages.filter(({ role }) => role !== 'system');
  const isOneQuestion = asked.length === 1 && asked[0]?.role === 'user';
  return messages
    .map(({ role, content }) => {
      const text =
        typeof content === 'string' ? content : content.map((part) => part.text).join('\n');
      return isOneQuestion || role === 'system' ? text : `${role}: ${text}`;
    })
    .join('\n\n');
}

/** An assertion of promptfoo. */
const assertSchema = z.looseObject({
  type: z.string().min(1),
  value: exactJsonSchema.optional(),
});
type Assert = z.infer<typeof assertSchema>;

/** Keys that change nothing about what is right. */
const harmless = ['type', 'value', 'metric'];

/**
 * The evaluator that finds right what the assertion passes; nothing here is equal to several. In words what of them nothing is
 * equal to, where something is not.
 * @param asserts - at least one
 */
function evaluatorOfAsserts(asserts: readonly Assert[], question: string): Evaluator | string {
  const readings = asserts.map((assert) => evaluatorOfAssert(assert, question));
  const strange = readings.filter((reading) => typeof reading === 'string');
  if (strange.length > 0) return strange.join(', ');
  const [first, ...others] = readings;
  // A conjunction looks at one member of the answer for each of its parts.
  if (others.length > 0) return `${asserts.map(({ type }) => type).join(' and ')} together`;
  return first ?? 'no assertion';
}

/** In words why not, where nothing is equal to it. */
function evaluatorOfAssert(assert: Assert, question: string): Evaluator | string {
  const { type, value } = assert;
  const options = Object.keys(assert).filter((key) => !harmless.includes(key));
  if (options.length > 0) return `${type} with ${options.join(' and ')}`;
  if (typeof value === 'string' && /^(file|package):\/\//.test(value)) {
    return `${type} with a value from a file`;
  }
  const isNegated = type.startsWith('not-');
  const positive = evaluatorOfType(isNegated ? type.slice('not-'.length) : type, value, question);
  if (positive === null) return type;
  if (!isNegated) return positive;
  return { eval_func: 'eval_negation', eval_kwargs: { ...positive } };
}

function evaluatorOfType(type: string, value: Assert['value'], question: string): Evaluator | null {
  if (value === undefined) return null;
  switch (type) {
    case 'equals':
      return typeof value === 'object' && value !== null
        ? { eval_func: 'eval_structured_object_exact_match', eval_kwargs: { gold: value } }
        : { eval_func: 'eval_string_exact_match', eval_kwargs: { gold: textOf(value) } };
    case 'factuality':
    case 'model-graded-factuality':
      return {
        eval_func: 'eval_reference_answer_with_llm',
        eval_kwargs: { reference_answer: textOf(value), question },
      };
    default:
      return null;
  }
}

const textOf = (value: NonNullable<Assert['value']> | null): string =>
  typeof value === 'string' ? value : exactJson(value);

interface PromptfooOptions {
  /** Of variables that are not called as the field they hold. */
  readonly names: FieldNames;
  /** Keep questions whose assertions nothing here is equal to, without an evaluator, instead of refusing them. */
  readonly keepUnscored: boolean;
}

const testSchema = z.looseObject({
  vars: z.record(z.string(), exactJsonSchema).default({}),
  assert: z.array(assertSchema).default([]),
});
type Test = z.infer<typeof testSchema>;

/** Reads test cases of promptfoo, from YAML or JSON: a configuration with `tests`, or a list of them. */
export function readPromptfoo(text: string, options: PromptfooOptions): ImportedQuestions {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, intAsBigInt: true });
  const [flaw] = document.errors;
  if (flaw) {
    const line = lines.linePos(flaw.pos[0]).line;
    return { questions: [], problems: [`line ${line}: ${flaw.message.split('\n')[0] ?? ''}`] };
  }
  const tests = testsIn(document);
  if (typeof tests === 'string') return { questions: [], problems: [tests] };
  const common = testSchema.safeParse(commonTest(document));
  if (!common.success) {
    return { questions: [], problems: [`defaultTest: ${firstIssue(common.error)}`] };
  }
  return gather(
    tests.map(({ value, at }, index) => {
      const place = `test ${index + 1} (line ${lines.linePos(at).line})`;
      const parsed = testSchema.safeParse(value);
      return parsed.success
        ? testQuestion(place, withCommon(parsed.data, common.data), options)
        : `${place}: ${firstIssue(parsed.error)}`;
    }),
  );
}

/** Where the tests are and what they hold, or why there are none. */
function testsIn(
  document: Document.Parsed,
): readonly { readonly value: unknown; readonly at: number }[] | string {
  const list = isMap(document.contents) ? document.contents.get('tests', true) : document.contents;
  if (!isSeq(list)) {
    return 'line 1: there is no list of tests in it; tests that other files hold are imported from those';
  }
  return list.items.map((item) => ({
    value: (item as Node).toJS(document, exactIntegers) as unknown,
    at: (item as { range?: readonly number[] | null }).range?.[0] ?? 0,
  }));
}

/** The library makes all integers bigints. */
const exactIntegers = {
  reviver: (_key: unknown, value: unknown) =>
    typeof value === 'bigint' ? exactInteger(value) : value,
};

const commonTest = (document: Document.Parsed): unknown =>
  isMap(document.contents)
    ? ((document.toJS(exactIntegers) as Record<string, unknown>)['defaultTest'] ?? {})
    : {};

const withCommon = (test: Test, common: Test): Test => ({
  ...test,
  vars: { ...common.vars, ...test.vars },
  assert: [...common.assert, ...test.assert],
});

function testQuestion(
  place: string,
  { vars, assert, ...others }: Test,
  { names, keepUnscored }: PromptfooOptions,
): ImportedQuestion | string {
  const expanded = Object.entries(vars).filter(([, value]) => Array.isArray(value));
  if (expanded.length > 0) {
    return `${place}: the variable ${expanded.map(([name]) => name).join(', ')} is a list, which stands for a test for each member: write them out`;
  }
  const name = names.question ?? onlyName(vars);
  const question = vars[name];
  if (typeof question !== 'string') {
    return `${place}: there is no variable ${name} with a text, but ${Object.keys(vars).join(', ') || 'none'}; --field question=VARIABLE names the one with the question`;
  }
  if (/^(file|package):\/\//.test(question)) return `${place}: the question is in another file`;
  const otherVars = Object.fromEntries(Object.entries(vars).filter(([key]) => key !== name));
  const field = (key: 'uuid' | 'answer_format') => {
    const value = vars[names[key] ?? key];
    return typeof value === 'string' ? value : null;
  };
  const imported = {
    place,
    uuid: field('uuid'),
    question,
    others: {
      ...others,
      ...(field('answer_format') !== null && { answer_format: field('answer_format') }),
      ...(Object.keys(otherVars).length > 0 && { vars: otherVars }),
    },
  };
  if (assert.length === 0) return { ...imported, evaluator: null };
  const reading = evaluatorOfAsserts(
    assert.map((each) => withVars(each, vars)),
    question,
  );
  if (typeof reading !== 'string') return { ...imported, evaluator: reading };
  const reason = `no evaluator does what promptfoo's ${reading} does`;
  return keepUnscored
    ? { ...imported, evaluator: null, others: { ...imported.others, unscored_because: reason } }
    : `${place}: ${reason}; --keep-unscored imports the question without one`;
}

const onlyName = (vars: Test['vars']): string => {
  const [first, ...more] = Object.keys(vars);
  return first !== undefined && more.length === 0 ? first : 'question';
};

const namePlace = /\{\{\s*(\w+)\s*\}\}/g;

/** With variables in the place of their names, such as `{{expected}}`. A template that does more stays one. */
function withVars(assert: Assert, vars: Test['vars']): Assert {
  const { value } = assert;
  if (typeof value !== 'string') return assert;
  const rest = value.replace(namePlace, (written, name: string) => (name in vars ? '' : written));
  if (/\{\{|\{%/.test(rest)) return { ...assert, template: rest };
  return {
    ...assert,
    value: value.replace(namePlace, (_written, name: string) => {
      const filled = vars[name] ?? null;
      return typeof filled === 'string' ? filled : exactJson(filled);
    }),
  };
}
