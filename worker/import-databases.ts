import { text } from 'node:stream/consumers';
import {
  importRequestSchema,
  sourceName,
  type ImportLine,
  type RequestedSource,
} from '../domain/stores/database-import.js';
import { UserError } from '../domain/user-error.js';
import {
  HoldsPapersError,
  importDatabase,
  removeAbandonedDrafts,
} from './adapters/databases/import-database.js';

// Imports the databases of a dataset. Standard input is an `ImportRequest`; each line of standard output is an `ImportLine`.

const { home, sources } = importRequestSchema.parse(JSON.parse(await text(process.stdin)));

const print = (line: ImportLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

async function read({ key, source, unlessPapers }: RequestedSource): Promise<ImportLine> {
  try {
    return { kind: 'imported', key, description: await importDatabase(home, source, unlessPapers) };
  } catch (error) {
    if (error instanceof HoldsPapersError) {
      return { kind: 'refused', key, message: error.message, holdsPapers: true };
    }
    if (error instanceof UserError) return { kind: 'refused', key, message: error.message };
    const reason = error instanceof Error ? error.message : String(error);
    const message = `${sourceName(source)} cannot be imported: ${reason}`;
    return { kind: 'refused', key, message };
  }
}

await removeAbandonedDrafts(home);
for (const source of sources) {
  print({ kind: 'reading', key: source.key });
  print(await read(source));
}
