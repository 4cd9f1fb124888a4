import { readCsv, type CsvRecord } from '../../formats/csv.js';
import { jsonIn } from '../../formats/json.js';
import { goldEvaluator, type GoldComparison } from './gold-evaluator.js';
import {
  gather,
  importFields,
  withEvaluator,
  type FieldNames,
  type ImportedQuestion,
  type ImportedQuestions,
} from './imported-question.js';

export interface CsvOptions {
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
  return gather(records.map((record) => questionOf(record, columns, { names, comparison })));
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

function questionOf(
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
