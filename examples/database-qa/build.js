import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'yaml';

// Makes questions.jsonl and replies.json from questions/*.yaml: runs the gold queries and fills the answers from their results.
//     node examples/database-qa/build.js

const here = fileURLToPath(new URL('.', import.meta.url));

/** The share of rounds and sentences in which each simulated model falls short of the reference. */
const carelessness = { 'simulated-large': 0.08, 'simulated-small': 0.4 };

/**
 * Both files of the example as texts.
 *
 * @returns {Promise<{ readonly questions: string, readonly replies: string }>}
 */
export async function buildExample() {
  const files = readdirSync(join(here, 'questions')).sort();
  const items = (await Promise.all(files.map(itemsOf))).flat();
  return { questions: linesOf(items), replies: repliesOf(items) };
}

const linesOf = (values) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

async function itemsOf(file) {
  const { database, questions } = parse(readFileSync(join(here, 'questions', file), 'utf8'));
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
    for (const name of readdirSync(join(here, path))) {
      const table = basename(name, '.csv');
      await connection.run(`CREATE TABLE ${table} AS FROM read_csv('${join(here, path, name)}')`);
    }
  }
  return connection;
}

/**
 * Replaces `{{step.column}}` by a cell of the step's only row, and `{{step.key.column}}` by a cell of the row that begins with
 * the key.
 */
function fill(answer, steps, uuid) {
  return answer.replace(
    /\{\{(\w+)\.(?:([^{}]+)\.)?(\w+)\}\}/g,
    (placeholder, name, key, column) => {
      const { columns = [], rows = [] } = steps.find((step) => step.name === name) ?? {};
      const found = key === undefined ? rows : rows.filter(([first]) => String(first) === key);
      const cell = found[0]?.[columns.indexOf(column)] ?? null;
      if (found.length !== 1 || cell === null)
        throw new Error(`${uuid}: ${placeholder} has ${found.length} rows, and is ${cell}`);
      return String(cell);
    },
  );
}

/** A script of the simulated model, a question a line. */
function repliesOf(items) {
  const databaseQuestions = items.map(({ question, goldQueries, referenceAnswer }) =>
    JSON.stringify({
      question,
      rounds: goldQueries.map(({ need, sql }) => ({ need, query: sql })),
      answer: referenceAnswer,
    }),
  );
  return `{"carelessness":${JSON.stringify(carelessness)},"databaseQuestions":[\n${databaseQuestions.join(',\n')}\n]}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { questions, replies } = await buildExample();
  writeFileSync(join(here, 'questions.jsonl'), questions);
  writeFileSync(join(here, 'replies.json'), replies);
}
