import { createInterface } from 'node:readline';
import { executeStatements } from '../activities/tools/execute-statements.js';
import { PortFailure } from '../activities/ports/port-failure.js';
import {
  executionTaskSchema,
  type ExecutionDone,
} from '../domain/scoring/execution-match/execution.js';
import { sum } from '../domain/statistics/means.js';
import { openStorePlace } from '../storage/stores/store-place.js';
import { createDuckdbTables } from './adapters/duckdb/tables.js';

// Executes the SQL of answers and of their golds: `execute-sql HOME STORAGE`. Each line of the standard input is an `ExecutionTask`,
// each line of the standard output an `ExecutionDone`, in the order in which they are done.

const [home = '', storage] = process.argv.slice(2);
const place = { TURNWISE_HOME: home, TURNWISE_STORAGE: storage };
const tables = createDuckdbTables(openStorePlace(place));
const { signal } = new AbortController();

async function execute(line: string): Promise<ExecutionDone> {
  const { index, database, statements, timeoutMs } = executionTaskSchema.parse(JSON.parse(line));
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
    return { index, execution, ms };
  } catch (error) {
    if (!(error instanceof PortFailure)) throw error;
    return { index, failure: error.message };
  }
}

const running: Promise<void>[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  running.push(
    execute(line).then((done) => void process.stdout.write(`${JSON.stringify(done)}\n`)),
  );
}
await Promise.all(running);
tables.close();
