import { text } from 'node:stream/consumers';
import { PortFailure } from '../activities/ports/port-failure.js';
import { allRows } from '../activities/questions/question-database.js';
import { rowsAskedSchema, type ReadRows } from '../domain/runs/read-rows.js';
import { openStorePlace } from '../storage/stores/store-place.js';
import { createDuckdbTables } from './adapters/duckdb/tables.js';
import { createDatabases } from './adapters/files/stores.js';

// Reads all rows of databases, as prompts have them: `read-rows HOME STORAGE`. The standard input is a `RowsAsked` as JSON, the
// standard output a list with a `ReadRows` for each of its questions.

const [home = '', storage] = process.argv.slice(2);
const place = openStorePlace({ TURNWISE_HOME: home, TURNWISE_STORAGE: storage });
const tables = createDuckdbTables(place);
const ports = { tables, databases: createDatabases(place.generations, place.imported) };
const { signal } = new AbortController();
const { manifest, items } = rowsAskedSchema.parse(JSON.parse(await text(process.stdin)));

const found: ReadRows[] = [];
for (const item of items) {
  try {
    found.push({ kind: 'rows', text: await allRows(ports, manifest, item, signal) });
  } catch (error) {
    if (!(error instanceof PortFailure)) throw error;
    const kind = error.type === 'ContextOverflow' ? 'overflow' : 'failed';
    found.push({ kind, message: error.message });
  }
}
process.stdout.write(JSON.stringify(found));
tables.close();
