import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  importLineSchema,
  sourceName,
  type ImportLine,
  type ImportRequest,
  type RequestedSource,
} from '../../../domain/stores/database-import.js';
import {
  databaseKey,
  type DatabaseRef,
  type DatabaseSource,
  type DescribedDatabase,
  type Engine,
} from '../../../domain/stores/database.js';
import { describeStore } from '../../../domain/stores/database-schema.js';
import { UserError } from '../../../domain/user-error.js';
import { workerProgram } from '../../services/programs.js';
import { accessingFiles } from '../../../storage/atomic-file.js';
import {
  uploadDatabase,
  openStorePlace,
  type StoreSettings,
} from '../../../storage/stores/store-place.js';
import { inWords, openStore } from '../stores/store-files.js';
import { note } from '../../services/tell.js';

export type DatabaseImport =
  | {
      readonly kind: 'imported';
      readonly ref: DatabaseRef;
      readonly description: DescribedDatabase;
    }
  /** `message`: one sentence that names the source. */
  | { readonly kind: 'refused'; readonly message: string; readonly holdsPapers?: true | undefined };

interface DatabaseImportOptions {
  /** TURNWISE_HOME. */
  readonly home: string;
  /** Where stores and databases are. @defaultValue the home */
  readonly storage?: string | undefined;
  /** Whether workers on other machines shall find the databases. @defaultValue false */
  readonly isForWorkers?: boolean;
  /** Of the dataset: paths of sources are relative to it. */
  readonly folder: string;
  readonly sources: readonly DatabaseSource[];
  /** Whether a DuckDB database with the tables of papers is refused. @defaultValue false */
  readonly unlessPapers?: boolean;
  /** Where all are needed in one, whatever they choose. @defaultValue the one of each source */
  readonly engine?: Engine;
  /** How far an import is that takes longer than two seconds. @defaultValue standard error */
  readonly onProgress?: (message: string) => void;
  /** @defaultValue the built program */
  readonly program?: string;
}

/**
 * Imports databases into the storage, or finds them there. Equal sources are imported once. The result has every source, by
 * `databaseKey`. Rejects if the import cannot run at all.
 */
export async function importDatabases({
  home,
  storage = home,
  isForWorkers = false,
  folder,
  sources,
  unlessPapers = false,
  engine,
  onProgress = note,
  program = workerProgram('import-databases'),
}: DatabaseImportOptions): Promise<ReadonlyMap<string, DatabaseImport>> {
  const place = { TURNWISE_HOME: home, TURNWISE_STORAGE: storage };
  const { importFolder, ...storing } = openStorePlace(place);
  const results = new Map<string, DatabaseImport>();
  const wanted = new Map<string, RequestedSource>();
  for (const source of sources) {
    const key = databaseKey(source);
    if ('name' in source) results.set(key, await storeImport(place, source.name));
    else {
      wanted.set(key, {
        key,
        source: {
          ...('path' in source ? { ...source, path: pathIn(folder, source.path) } : source),
          engine: engine ?? source.engine,
        },
        unlessPapers,
      });
    }
  }
  const total = wanted.size;
  let at = 0;
  const progress = setInterval(
    () => onProgress(`imports databases: ${at} of ${total}`),
    progressEveryMs,
  );
  try {
    while (wanted.size > 0) {
      const request = { home: importFolder, sources: [...wanted.values()] };
      const unfinished = await runImport(program, request, (line) => {
        if (line.kind === 'reading') {
          at += 1;
          return;
        }
        wanted.delete(line.key);
        results.set(line.key, resultOf(line));
      });
      const broken = unfinished === null ? undefined : wanted.get(unfinished);
      if (broken === undefined) break;
      wanted.delete(broken.key);
      const message = `${sourceName(broken.source)} cannot be imported: the database engine failed while reading it`;
      results.set(broken.key, { kind: 'refused', message });
    }
  } finally {
    clearInterval(progress);
  }
  for (const result of isForWorkers ? results.values() : []) {
    if (result.kind !== 'imported' || result.ref.kind !== 'imported') continue;
    const { id } = result.ref;
    const { engine } = result.description;
    await inWords(() =>
      accessingFiles(`database ${id} cannot be stored`, () =>
        uploadDatabase(storing.storage, storing.copies, { id, engine }),
      ),
    );
  }
  return results;
}

const progressEveryMs = 2_000;

const pathIn = (folder: string, path: string): string =>
  isAbsolute(path) ? path : join(folder, path);

async function storeImport(settings: StoreSettings, name: string): Promise<DatabaseImport> {
  try {
    const store = await openStore(settings, name);
    const ref = { kind: 'store', name: store.name, fingerprint: store.fingerprint } as const;
    return { kind: 'imported', ref, description: describeStore(store) };
  } catch (error) {
    if (error instanceof UserError) return { kind: 'refused', message: error.message };
    throw error;
  }
}

const resultOf = (line: Exclude<ImportLine, { readonly kind: 'reading' }>): DatabaseImport =>
  line.kind === 'refused'
    ? { kind: 'refused', message: line.message, holdsPapers: line.holdsPapers }
    : {
        kind: 'imported',
        ref: { kind: 'imported', id: line.description.id },
        description: line.description,
      };

/** Resolves to the key of the source during which the process died; null if it has read all. */
async function runImport(
  program: string,
  request: ImportRequest,
  onLine: (line: ImportLine) => void,
): Promise<string | null> {
  // Scripts of a dataset run in it: it gets no key and no other setting.
  const env = { PATH: process.env['PATH'], TZ: 'UTC' };
  const child = spawn(process.execPath, [program], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close') as Promise<[code: number | null]>;
  // A process that dies early closes the pipe; its exit says so.
  child.stdin.on('error', () => undefined).end(JSON.stringify(request));
  let reading: string | null = null;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = importLineSchema.parse(JSON.parse(text));
    reading = line.kind === 'reading' ? line.key : null;
    onLine(line);
  }
  const [code] = await closed;
  if (code !== 0 && reading === null) {
    throw new Error(`The import of databases ended with status ${code ?? 'unknown'}.`);
  }
  return reading;
}
