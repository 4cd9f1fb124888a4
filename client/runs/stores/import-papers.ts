import { readdirSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import type { StoreName } from '../../../domain/ids.js';
import type { Environment } from '../../../domain/settings.js';
import type { ConflictPolicy } from '../../../domain/stores/add-papers.js';
import type {
  ImportPapersResult,
  ImportSource,
} from '../../../domain/stores/imports/import-papers.js';
import { UserError } from '../../../domain/user-error.js';
import type { importPapersWorkflow } from '../../../workflows/import-papers.js';
import { workflowNames } from '../../../workflows/messages.js';
import type { Session } from '../../services/session.js';
import { inTurn } from '../in-turn.js';

/**
 * Imports papers that another system has read into a store; one ingestion or import at a time.
 * Throws UserError where the import as a whole failed; papers that cannot be used are in the result.
 */
export const importPapers = (
  { client }: Pick<Session, 'client'>,
  environment: Environment,
  store: StoreName,
  source: ImportSource,
  onConflict: ConflictPolicy,
): Promise<ImportPapersResult> => {
  const refused = (reason: string): string =>
    `nothing was imported into store ${store}: ${reason.replace(/\.$/, '')}`;
  return inTurn(client, store, {
    execute: (workflowId) =>
      client.workflow.execute<typeof importPapersWorkflow>(workflowNames.importPapers, {
        workflowId,
        taskQueue: environment.TURNWISE_TASK_QUEUE,
        staticSummary: `import into store ${store}`,
        args: [{ store, source, onConflict }],
      }),
    failure: (reason) => `the import into store ${store} failed: ${reason}; the store is as it was`,
    badInput: { UnreadableImport: refused, TitleConflict: refused },
  });
};

const foldersOfPapers = ['processed_data', 'metadata', 'papers'];

/** What there is to import at some paths. Throws UserError where that are no papers, or the papers of two databases. */
export function locateImport(paths: readonly string[]): ImportSource {
  const parts = paths.map(partsAt);
  const databases = parts.flatMap((part) => part.databases);
  const models = parts.flatMap((part) => part.models);
  const folders = parts.flatMap((part) => part.folders);
  const [database, ...others] = databases;
  if (others.length > 0) {
    throw new UserError(`import one database at a time, not ${databases.join(' and ')}`);
  }
  if (models.length > 1) {
    throw new UserError(`give one BM25 model, not ${models.join(' and ')}`);
  }
  const hasPapers =
    database !== undefined || folders.some((folder) => namesIn(folder).includes('processed_data'));
  if (!hasPapers) {
    throw new UserError(
      `there are no papers to import in ${paths.join(', ')}: neither a .duckdb file nor a folder processed_data`,
    );
  }
  return { database: database ?? null, bm25: models[0] ?? null, folders };
}

function partsAt(path: string): {
  readonly databases: readonly string[];
  readonly models: readonly string[];
  readonly folders: readonly string[];
} {
  const absolute = resolve(path);
  const stat = statSync(absolute, { throwIfNoEntry: false });
  if (!stat) throw new UserError(`there is no file or folder ${path}`);
  if (!stat.isDirectory()) {
    const isDatabase = extname(absolute) === '.duckdb';
    if (!isDatabase && basename(absolute) !== 'bm25.json') {
      throw new UserError(`${path} is neither a folder, a .duckdb file nor a bm25.json`);
    }
    return {
      databases: isDatabase ? [absolute] : [],
      models: isDatabase ? [] : [absolute],
      folders: [],
    };
  }
  const names = namesIn(absolute);
  const inFolder = (name: string): string => join(absolute, name);
  return {
    databases: names.filter((name) => extname(name) === '.duckdb').map(inFolder),
    models: names.filter((name) => name === 'bm25.json').map(inFolder),
    folders: names.some((name) => foldersOfPapers.includes(name)) ? [absolute] : [],
  };
}

const namesIn = (folder: string): readonly string[] => readdirSync(folder).sort();
