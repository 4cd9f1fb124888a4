import { randomUUID } from 'node:crypto';
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ApplicationFailure, rootCause } from '@temporalio/common';
import { isFailureType, type FailureType } from '../../../domain/failure-type.js';
import { ingestionWorkflowId, type StoreName, type RunId } from '../../../domain/ids.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import { defaultConflictPolicy, type ConflictPolicy } from '../../../domain/stores/add-papers.js';
import type { Parser } from '../../../domain/stores/paper-parsers.js';
import {
  ingestionResult,
  type Ingestion,
  type IngestPapersResult,
  type ImportPapersResult,
  type ImportSource,
} from '../../../domain/stores/ingestion.js';
import { type Environment, storageOf } from '../../../domain/settings.js';
import type { DatabaseId } from '../../../domain/stores/database.js';
import { fingerprintsOf, type RunManifest } from '../../../domain/runs/run-manifest.js';
import type { CheckStoreResult } from '../../../domain/stores/store-check.js';
import { storeFolder } from '../../../domain/stores/store-manifest.js';
import { workflowNames } from '../../../workflows/messages.js';
import type { ingestPapersWorkflow } from '../../../workflows/stores/ingest-papers.js';
import type { importPapersWorkflow } from '../../../workflows/stores/import-papers.js';
import type { importDatabaseWorkflow } from '../../../workflows/stores/import-database.js';
import type {
  checkStoreWorkflow,
  dropStoreWorkflow,
  freeStoreWorkflow,
} from '../../../workflows/stores/check-store.js';
import { createIngestionFiles } from '../../../storage/stores/ingestion-files.js';
import type { ObjectStorage } from '../../../storage/objects.js';
import { openStorePlace, type StoreSettings } from '../../../storage/stores/store-place.js';
import { uploadImport } from '../../../storage/stores/uploads.js';
import type { HomeClient } from '../../services/home-client.js';
import { restartIfStuck, resultOf, executeWorkflow } from '../restarted.js';
import type { Session } from '../../services/session.js';
import { importDatabases } from '../database-qa/import-databases.js';
import { isOpenRun } from '../probe-models.js';
import { listRuns } from '../run-folder.js';
import { embedderFor, inWords } from './store-files.js';
import { note } from '../../services/tell.js';

interface Turn<Result> {
  /** Executes a workflow with these options. */
  readonly execute: (options: {
    readonly workflowId: string;
    readonly taskQueue: string;
  }) => Promise<Result>;
  /** The message if the workflow fails. */
  readonly failure: (reason: string) => string;
  /** The messages of failures after which the same command would fail again. */
  readonly badInput?: Readonly<Partial<Record<FailureType, (reason: string) => string>>>;
  /** Throws UserError where the workflow that is under way must not be waited for. @param work - in words */
  readonly mayWait?: (workflow: string, work: string) => void;
}

/** What works on a store as a whole, by the name of its workflow. */
const works: Readonly<Record<string, string>> = {
  [workflowNames.ingestPapers]: 'an ingestion into',
  [workflowNames.importPapers]: 'an import into',
  [workflowNames.importDatabase]: 'an import into',
  [workflowNames.checkStore]: 'a check of',
  [workflowNames.dropStore]: 'the removal of',
  [workflowNames.freeStore]: 'the removal of old generations of',
  [workflowNames.enrichPapers]: 'an enrichment of',
};

/** Executes a workflow that builds, checks or removes a store: one at a time, after another one that is under way. */
export async function inTurn<Result>(
  client: HomeClient,
  store: StoreName,
  turn: Turn<Result>,
): Promise<Result> {
  const workflowId = ingestionWorkflowId(client.home, store);
  try {
    return await turn.execute({ workflowId, taskQueue: client.queue });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) {
      await restartIfStuck(client, workflowId);
      await untilEnded(client, store, turn.mayWait);
      return inTurn(client, store, turn);
    }
    if (error instanceof WorkflowFailedError) {
      const reason = rootCause(error.cause) ?? error.message;
      const type = failureType(error);
      const message = type && turn.badInput?.[type]?.(reason);
      if (message) throw new UserError(message, exitStatus.badInput);
      throw new UserError(turn.failure(reason), exitStatus.serviceUnreachable);
    }
    throw error;
  }
}

/** The type of the failure that ended a workflow. */
function failureType(error: WorkflowFailedError): FailureType | null {
  let cause: unknown = error;
  while (cause instanceof Error && !(cause instanceof ApplicationFailure)) cause = cause.cause;
  return cause instanceof ApplicationFailure && isFailureType(cause.type) ? cause.type : null;
}

async function untilEnded(
  client: HomeClient,
  store: StoreName,
  mayWait: Turn<unknown>['mayWait'] = () => undefined,
): Promise<void> {
  const handle = client.workflow.getHandle(ingestionWorkflowId(client.home, store));
  try {
    const { type } = await handle.describe();
    const work = `${works[type] ?? type} store ${store}`;
    mayWait(type, work);
    note(`waiting for ${work} that is under way`);
    await resultOf(handle);
  } catch (error) {
    // It has failed, which its own command says, or the server has forgotten it.
    if (!(error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError)) {
      throw error;
    }
  }
}

/**
 * Ingests PDFs, by absolute path, into a store; one ingestion of a store at a time.
 * Throws UserError where the ingestion as a whole failed; PDFs that cannot be read are in the result.
 * @param embedder - of the store's texts, by its name in a manifest
 * @param onConflict - what happens to a PDF with the title of another paper
 * @param parsers - other parsers that read the PDFs. @defaultValue those whose files lie beside them
 */
export const ingestPapers = (
  { client }: Pick<Session, 'client'>,
  environment: Environment,
  store: StoreName,
  files: readonly string[],
  {
    onConflict = defaultConflictPolicy,
    parsers,
    ...how
  }: {
    readonly embedder: string;
    readonly onConflict?: ConflictPolicy;
    readonly parsers?: readonly Parser[];
    readonly keepsScans?: boolean;
  },
): Promise<IngestPapersResult> =>
  inTurn(client, store, {
    execute: async (options) => {
      const { result } = await withIngestion(environment, store, {
        give: (storage, ingestion) => createIngestionFiles(storage).create(ingestion, files),
        execute: (ingestion, pages) =>
          executeWorkflow<typeof ingestPapersWorkflow>(client, workflowNames.ingestPapers, {
            ...options,
            staticSummary: `${files.length} PDFs into store ${store}`,
            args: [
              { ...how, ingestion, pages, onConflict, ...(parsers && { parsers: [...parsers] }) },
            ],
          }),
      });
      return result;
    },
    failure: (reason) =>
      `the ingestion into store ${store} failed: ${reason}; the store is as it was`,
    badInput: {
      TitleConflict: (reason) => `nothing was ingested into store ${store}: ${reason}`,
      ParserMissing: (reason) => `nothing was ingested into store ${store}: ${reason}`,
      EmbedderMissing: (reason) => `nothing was ingested into store ${store}: ${reason}`,
    },
  });

/** A workflow that adds papers to a store. */
interface Addition<Given, Outcome> {
  /** Puts what is to be added into the folder of the ingestion. */
  readonly give: (storage: ObjectStorage, ingestion: Ingestion) => Promise<Given>;
  readonly execute: (ingestion: Ingestion, given: Given) => Promise<Outcome>;
}

/** Executes a workflow that adds papers to a store, with a folder for its files, and reads there what became of each. */
async function withIngestion<Given, Outcome>(
  settings: StoreSettings,
  store: StoreName,
  { give, execute }: Addition<Given, Outcome>,
): Promise<{ readonly outcome: Outcome; readonly result: IngestPapersResult }> {
  const { storage } = openStorePlace(settings);
  const ingestions = createIngestionFiles(storage);
  const ingestion: Ingestion = { store, id: randomUUID() };
  const given = await inWords(() => give(storage, ingestion));
  try {
    const outcome = await execute(ingestion, given);
    const ignored = await ingestions.ignored(ingestion);
    const result = ingestionResult(await ingestions.progress(ingestion), ignored);
    await ingestions.remove(ingestion);
    return { outcome, result };
  } catch (error) {
    // After any other error it may be under way.
    const isOver =
      error instanceof WorkflowFailedError || error instanceof WorkflowExecutionAlreadyStartedError;
    if (isOver) await ingestions.remove(ingestion);
    throw error;
  }
}

/**
 * Imports papers that another system has read into a store; one ingestion or import at a time.
 * Throws UserError where the import as a whole failed; papers that cannot be used are in the result.
 */
export const importPapers = (
  { client }: Pick<Session, 'client'>,
  environment: Environment,
  store: StoreName,
  source: ImportSource,
  how: { readonly embedder: string; readonly onConflict: ConflictPolicy },
): Promise<ImportPapersResult> => {
  const refused = (reason: string): string =>
    `nothing was imported into store ${store}: ${reason.replace(/\.$/, '')}`;
  return inTurn(client, store, {
    execute: async (options) => {
      const { outcome, result } = await withIngestion(environment, store, {
        give: async (storage, ingestion) => {
          await createIngestionFiles(storage).create(ingestion, []);
          await uploadImport(storage, ingestion, source);
        },
        execute: (ingestion) =>
          executeWorkflow<typeof importPapersWorkflow>(client, workflowNames.importPapers, {
            ...options,
            staticSummary: `import into store ${store}`,
            args: [{ ingestion, ...how }],
          }),
      });
      return { ...result, ...outcome };
    },
    failure: (reason) => `the import into store ${store} failed: ${reason}; the store is as it was`,
    badInput: {
      UnreadableImport: refused,
      TitleConflict: refused,
      EmbedderMissing: refused,
    },
  });
};

/**
 * Copies a database into the storage, where a store can take it from. Null if it holds papers. Throws UserError where it
 * cannot be read.
 */
export async function copyDatabase(
  settings: StoreSettings,
  path: string,
): Promise<DatabaseId | null> {
  const imported = await importDatabases({
    home: settings.TURNWISE_HOME,
    storage: storageOf(settings),
    isForWorkers: true,
    folder: '',
    sources: [{ path }],
    unlessPapers: true,
    engine: 'duckdb',
  });
  for (const result of imported.values()) {
    if (result.kind === 'imported' && result.ref.kind === 'imported') return result.ref.id;
    if (result.kind === 'refused' && result.holdsPapers) return null;
    if (result.kind === 'refused') throw new UserError(result.message);
  }
  throw new Error(`the import said nothing of ${path}`);
}

/** Makes a copied database the content of a store. Resolves to whether that has changed the store. Throws UserError where it failed. */
export const importDatabase = (
  { client }: Pick<Session, 'client'>,
  store: StoreName,
  database: DatabaseId,
  embedder: string,
): Promise<boolean> =>
  inTurn(client, store, {
    execute: (options) =>
      executeWorkflow<typeof importDatabaseWorkflow>(client, workflowNames.importDatabase, {
        ...options,
        staticSummary: `database into store ${store}`,
        args: [{ store, database, embedder }],
      }),
    failure: (reason) => `the import into store ${store} failed: ${reason}; the store is as it was`,
    badInput: {
      UnreadableImport: (reason) => `nothing was imported into store ${store}: ${reason}`,
      EmbedderMissing: (reason) => `nothing was imported into store ${store}: ${reason}`,
    },
  });

/** Compares the parts of a store, and mends it where that is wanted. Throws UserError where that failed. */
export const checkStore = (
  { client }: Pick<Session, 'client'>,
  environment: Environment,
  store: StoreName,
  repair: boolean,
): Promise<CheckStoreResult> =>
  inTurn(client, store, {
    execute: async (options) =>
      executeWorkflow<typeof checkStoreWorkflow>(client, workflowNames.checkStore, {
        ...options,
        staticSummary: `${repair ? 'repair' : 'check'} of store ${store}`,
        args: [{ store, repair, embedder: await embedderFor(environment, store) }],
      }),
    failure: (reason) => `the ${repair ? 'repair' : 'check'} of store ${store} failed: ${reason}`,
  });

/** Removes the generations of a store that are neither in use nor of these runs. Throws UserError where that failed. */
export const removeOldGenerations = (
  { client }: Pick<Session, 'client'>,
  store: StoreName,
  runs: readonly RunManifest[],
): Promise<void> =>
  inTurn(client, store, {
    execute: (options) =>
      executeWorkflow<typeof freeStoreWorkflow>(client, workflowNames.freeStore, {
        ...options,
        staticSummary: `old generations of store ${store}`,
        args: [{ store, kept: runs.flatMap((run) => fingerprintsOf(run, store)) }],
      }),
    failure: (reason) => `old generations of store ${store} cannot be removed: ${reason}`,
  });

/** Whether a store, an unfinished ingestion or an unfinished removal has left a folder of that name. */
export const isStoreFolder = async (settings: StoreSettings, store: StoreName): Promise<boolean> =>
  (await openStorePlace(settings).storage.list(storeFolder(store))).length > 0;

/**
 * Removes a store with all it consists of, and says how many collections that were: null where nothing told which. Throws UserError where something uses it,
 * or the removal failed.
 */
export async function dropStore(
  { client }: Pick<Session, 'client'>,
  environment: Environment,
  store: StoreName,
): Promise<{ readonly collections: number | null }> {
  const [run] = await runsOver(client, environment, store);
  if (run !== undefined) {
    throw new UserError(
      `run ${run} uses store ${store}: let it end, or end it with \`turnwise cancel ${run}\``,
    );
  }
  return inTurn(client, store, {
    execute: (options) =>
      executeWorkflow<typeof dropStoreWorkflow>(client, workflowNames.dropStore, {
        ...options,
        staticSummary: `removal of store ${store}`,
        args: [{ store }],
      }),
    failure: (reason) =>
      `the removal of store ${store} failed: ${reason}; the same command goes on with it`,
    mayWait: (workflow, work) => {
      if (workflow === workflowNames.dropStore) return;
      throw new UserError(`${work} is under way: remove the store when it has ended`);
    },
  });
}

/** The open runs that ask questions over a store. */
async function runsOver(
  client: HomeClient,
  environment: Environment,
  store: StoreName,
): Promise<readonly RunId[]> {
  const runs: RunId[] = [];
  for (const manifest of await listRuns(environment.TURNWISE_HOME, storageOf(environment))) {
    if (manifest.status !== 'running' || !isOver(manifest, store)) continue;
    if (await isOpenRun(client, manifest.run)) runs.push(manifest.run);
  }
  return runs;
}

const isOver = (manifest: RunManifest, name: StoreName): boolean =>
  manifest.store?.name === name ||
  Object.values(manifest.databases).some((ref) => ref.kind === 'store' && ref.name === name);
