import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'yaml';

// Writes questions.jsonl from questions/*.yaml: runs the gold queries and fills the answers from their results.
//     node examples/database-qa/build.js

const here = fileURLToPath(new URL('.', import.meta.url));

/** The dataset of the example: a line for each question. */
export async function buildDataset() {
  const files = readdirSync(join(here, 'questions')).sort();
  const items = await Promise.all(files.map((file) => itemsOf(readQuestions(file))));
  return items
    .flat()
    .map((item) => `${JSON.stringify(item)}\n`)
    .join('');
}

const readQuestions = (file) => parse(readFileSync(join(here, 'questions', file), 'utf8'));

async function itemsOf({ database, questions }) {
  const source = sourceOf(database);
  const connection = await openDatabase(source);
  const items = [];
  for (const { uuid, category, question, steps, answer } of questions) {
    const goldQueries = [];
    for (const [name, { need, sql }] of Object.entries(steps)) {
      const result = await connection.runAndReadAll(sql);
      const columns = result.columnNames();
      goldQueries.push({ name, need, sql, columns, rows: result.getRowsJson() });
    }
    const referenceAnswer = fill(answer, goldQueries, uuid);
    items.push({ uuid, question, database: source, category, referenceAnswer, goldQueries });
  }
  connection.closeSync();
  return items;
}

/** `{ script: FOLDER }` stands for the two scripts of that folder, which every item then carries. */
const sourceOf = ({ script, ...source }) =>
  script === undefined
    ? source
    : { ddl: readScript(`${script}/schema.sql`), rows: readScript(`${script}/rows.sql`) };

const readScript = (path) => readFileSync(join(here, path), 'utf8');

async function openDatabase({ path, ddl, rows }) {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  if (ddl !== undefined) await connection.run(ddl + rows);
  else if (path.endsWith('.sql')) await connection.run(readScript(path));
  else {
    const tables = readdirSync(join(here, path)).filter((name) => name.endsWith('.csv'));
    for (const table of tables)
      await connection.run(
        `CREATE TABLE ${basename(table, '.csv')} AS FROM read_csv('${join(here, path, table)}')`,
      );
  }
  return connection;
}

/** Replaces `{{query.column}}` by a cell of the query's only row, `{{query.key.column}}` by one of the row that begins with key. */
function fill(answer, queries, uuid) {
  return answer.replace(/\{\{(\w+)\.(?:([^{}]+)\.)?(\w+)\}\}/g, (placeholder, name, key, column) => {
    const { columns = [], rows = [] } = queries.find((query) => query.name === name) ?? {};
    const found = key === undefined ? rows : rows.filter(([first]) => String(first) === key);
    const cell = found[0]?.[columns.indexOf(column)] ?? null;
    if (found.length !== 1 || cell === null)
      throw new Error(`${uuid}: ${placeholder} has ${found.length} rows, and is ${cell}`);
    return String(cell);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(join(here, 'questions.jsonl'), await buildDataset());
