import { steps, type Step } from '../domain/building/item.js';
import { instructions } from '../domain/building/prompts.js';
import { readDelimited } from '../domain/scoring/delimited-sections.js';
import type { ChatRequest } from './chat-request.js';
import { oneLine, type Script } from './script.js';

/**
 * The reply of the simulated model to a step of building a dataset; undefined if the request asks for none. The question that
 * it ends with is the seed's, so that a script that answers the seeds also answers the dataset. Rows are made from the schema.
 */
export function simulatedBuilding(
  { messages }: Pick<ChatRequest, 'messages'>,
  script: Pick<Script, 'building' | 'databaseQuestions'> = { building: [], databaseQuestions: [] },
): string | undefined {
  const prompt = messages.map(({ content }) => content).join('\n\n');
  const step = steps.find((each) => prompt.includes(instructions[each]));
  if (step === undefined) return undefined;
  const sections = messages.flatMap(({ content }) => readDelimited(content)?.sections ?? []);
  const text = (label: string): string => sections.find((each) => each.label === label)?.text ?? '';
  const isRepair = text('your last reply') !== '';
  const scripted = script.building.find(
    (entry) =>
      entry.step === step && prompt.includes(entry.includes) && (entry.always || !isRepair),
  );
  if (scripted !== undefined) return scripted.reply;
  const question = text('question');
  const known = script.databaseQuestions.find(
    (entry) => oneLine(entry.question) === oneLine(question),
  );
  return replies[step]({
    seed: text('seed question'),
    question,
    remark: text('remark of an editor'),
    tables: tablesIn(text('schema')),
    results: text('queries with results'),
    scripted: known?.answer,
  });
}

interface Asked {
  readonly seed: string;
  readonly question: string;
  readonly remark: string;
  readonly tables: readonly SimulatedTable[];
  readonly results: string;
  /** The answer of the script to this question. */
  readonly scripted: string | undefined;
}

/** What is put before a seed question, and taken away again. */
const preamble = 'Considering all tables of the schema together, and leaving nothing out: ';

const replies: Readonly<Record<Step, (asked: Asked) => string>> = {
  control: ({ seed, remark }) => `${preamble}${withRemark(seed, remark)}`,
  condense: ({ question, remark }) => withRemark(question.replace(preamble, ''), remark),
  conjecture: ({ question, scripted }) =>
    scripted ?? `The simulated model supposes that the second of three stands out. ${question}`,
  construct: ({ tables }) => `\`\`\`sql\n${filledTables(tables).join('\n')}\n\`\`\``,
  query: ({ tables }) =>
    `\`\`\`sql\n${[...tables, ...tables]
      .slice(0, Math.max(2, Math.min(4, tables.length)))
      .map(({ sqlName }) => `SELECT * FROM ${sqlName} ORDER BY ALL LIMIT 5;`)
      .join('\n')}\n\`\`\``,
  conclude: ({ question, results }) => {
    const numbers = [...new Set(results.match(/\b\d+(?:\.\d+)?\b/g))].slice(0, 6);
    return `The simulated model finds the figures ${numbers.join(', ')} in the results. They are all that bears on this: ${question} More than that, such as a cause, the data cannot tell.`;
  },
  classify: ({ question }) =>
    /\b(impact|success|notable|important|healthy|trust|worth|well|good|fair|strong|weak)\w*\b/i.test(
      question,
    )
      ? 'It turns on a word that can be taken in more than one way.\n\nKind: interpretive'
      : 'The data settle it.\n\nKind: conclusive',
};

const withRemark = (question: string, remark: string): string =>
  remark === '' ? question : `${question} (${oneLine(remark)})`;

/** A table of a schema as prompts show it. */
interface SimulatedTable {
  /** As it is written in SQL. */
  readonly sqlName: string;
  readonly columns: readonly { readonly sqlName: string; readonly type: string }[];
  readonly foreignKeys: readonly {
    readonly columns: readonly string[];
    readonly table: string;
    readonly references: readonly string[];
  }[];
  readonly primaryKey: readonly string[];
}

const name = String.raw`(?:"(?:[^"]|"")*"|[A-Za-z_]\w*)`;
const listOf = (text: string): readonly string[] => text.match(new RegExp(name, 'g')) ?? [];

/** The tables of a schema text (`domain/stores/database-schema.ts`). */
function tablesIn(schema: string): readonly SimulatedTable[] {
  const tables = schema.matchAll(new RegExp(`^CREATE TABLE (${name}) \\(\\n(.*?)^\\);`, 'gms'));
  return [...tables].map(([, sqlName = '', body = '']) => {
    const lines = body.split('\n').map((line) => line.replace(/,?(?: -- .*)?$/, '').trim());
    const key = lines.find((line) => line.startsWith('PRIMARY KEY'));
    return {
      sqlName,
      columns: lines
        .filter((line) => line !== '' && !/^(PRIMARY|FOREIGN) KEY/.test(line))
        .flatMap((line) => {
          const found = new RegExp(`^(${name}) (.*?)(?: NOT NULL)?$`).exec(line);
          return found ? [{ sqlName: found[1] ?? '', type: found[2] ?? '' }] : [];
        }),
      foreignKeys: lines.flatMap((line) => {
        const found = new RegExp(
          `^FOREIGN KEY \\((.*?)\\) REFERENCES (${name})(?: \\((.*?)\\))?$`,
        ).exec(line);
        return found
          ? [
              {
                columns: listOf(found[1] ?? ''),
                table: found[2] ?? '',
                references: listOf(found[3] ?? ''),
              },
            ]
          : [];
      }),
      primaryKey: key === undefined ? [] : listOf(key.slice('PRIMARY KEY'.length + 1)),
    };
  });
}

const rowsOfTable = 3;

/** Statements that fill each table with three rows, which refer to each other. */
function filledTables(tables: readonly SimulatedTable[]): readonly string[] {
  return tables.map((table) => {
    const names = table.columns.map(({ sqlName }) => sqlName).join(', ');
    const rows = Array.from(
      { length: rowsOfTable },
      (_, row) =>
        `(${table.columns.map(({ sqlName }) => valueOf(tables, table, sqlName, row + 1)).join(', ')})`,
    );
    return `INSERT INTO ${table.sqlName} (${names}) VALUES ${rows.join(', ')};`;
  });
}

/** Of a column that refers to another, the value of that one in the same row. */
function valueOf(
  tables: readonly SimulatedTable[],
  table: SimulatedTable,
  column: string,
  row: number,
  depth = 0,
): string {
  for (const key of table.foreignKeys) {
    const target = tables.find((each) => isSame(each.sqlName, key.table));
    const references = key.references.length > 0 ? key.references : (target?.primaryKey ?? []);
    const referred = references[key.columns.findIndex((each) => isSame(each, column))];
    // Keys that refer to each other in a circle all get the number of their row.
    if (target === undefined || referred === undefined || depth > tables.length) continue;
    return valueOf(tables, target, referred, row, depth + 1);
  }
  const type = table.columns.find(({ sqlName }) => isSame(sqlName, column))?.type ?? 'VARCHAR';
  return literal(type.toUpperCase(), type, column, row);
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

function literal(type: string, declared: string, column: string, row: number): string {
  if (type.endsWith(']') || /^(STRUCT|MAP|UNION|BLOB|JSON)/.test(type)) return 'NULL';
  if (/^ENUM/.test(type)) return /'(?:[^']|'')*'/.exec(declared)?.[0] ?? 'NULL';
  if (/^BOOL/.test(type)) return row % 2 === 0 ? 'false' : 'true';
  if (/^DATE$/.test(type)) return `'2024-0${row}-1${row}'`;
  if (/^TIMESTAMP|^DATETIME/.test(type)) return `'2024-0${row}-1${row} 0${row}:00:00'`;
  if (/^TIME/.test(type)) return `'0${row}:00:00'`;
  if (/^UUID/.test(type)) return `'00000000-0000-4000-8000-00000000000${row}'`;
  if (/INT/.test(type)) return String(row);
  if (/^(DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC)/.test(type)) return `${row}.5`;
  return `'${column.replaceAll(/["']/g, '')} ${row}'`;
}
