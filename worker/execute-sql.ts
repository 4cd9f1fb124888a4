import { createInterface } from 'node:readline';
import { executeStatements } from '../activities/tools/execute-statements.js';
import { separateAnswer } from '../activities/tools/separate-answer.js';
import { PortFailure } from '../activities/ports/port-failure.js';
import { executionVerdict } from '../domain/scoring/execution-match/execution-verdict.js';
import {
  executionTaskSchema,
  type Execution,
  type ExecutionDone,
  type Match,
} from '../domain/scoring/execution-match/execution.js';
import { sum } from '../domain/statistics/means.js';
import { openStorePlace } from '../storage/stores/store-place.js';
import { createDuckdbTables } from './adapters/duckdb/tables.js';
import { createDatabases } from './adapters/files/stores.js';

// Executes the SQL of answers and of their golds: `execute-sql HOME STORAGE`. Each line of the standard input is an `ExecutionTask`,
// each line of the standard output an `ExecutionDone`, in the order in which they are done.

const [home = '', storage] = process.argv.slice(2);
const place = openStorePlace({ TURNWISE_HOME: home, TURNWISE_STORAGE: storage });
const tables = createDuckdbTables(place);
const ports = { tables, databases: createDatabases(place.generations, place.imported) };
const { signal } = new AbortController();

async function execute(line: string): Promise<ExecutionDone> {
  const task = executionTaskSchema.parse(JSON.parse(line));
  const { index, database, statements, timeoutMs, match } = task;
  let ms = 0;
  const timed: Pick<typeof tables, 'queries'> = {
    queries: async (...asked) => {
      const answers = await tables.queries(...asked);
      ms += sum(answers.map((answer) => answer.ms));
      return answers;
    },
  };
  try {
    const execution = await executeStatements(timed, database, statements, timeoutMs, signal);
    if (match === undefined || !isMatch(match, execution)) return { index, execution, ms };
    const separation = await separateAnswer(ports, { database, match, timeoutMs }, signal);
    return { index, execution, ms, separation };
  } catch (error) {
    if (!(error instanceof PortFailure)) throw error;
    return { index, failure: error.message };
  }
}

function isMatch({ options, answer }: Match, execution: Execution): boolean {
  const verdict = executionVerdict(options, { kind: 'str', value: answer }, execution);
  return verdict.kind === 'scored' && verdict.score === 1;
}

const running: Promise<void>[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  running.push(
    execute(line).then((done) => void process.stdout.write(`${JSON.stringify(done)}\n`)),
  );
}
await Promise.all(running);
tables.close();
