import { taskQueueOf } from '../../domain/home.js';
import type {
  Found,
  HomeState,
  Inspection,
  Reach,
  Supervision,
  TemporalState,
} from '../../domain/services.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { readHome, openStorage } from '../../storage/open-storage.js';
import { supervisionOf } from '../../storage/services.js';
import { requirePayloadKey } from '../../temporal/payload-key.js';
import {
  embeddedServer,
  namedServer,
  type ServerSettings,
} from '../../temporal/server-settings.js';
import { databaseUse, temporalDatabase } from '../../storage/temporal-database.js';
import { askEndpoints } from '../adapters/model-apis/endpoint.js';
import { temporalCandidatesOf } from './engines.js';
import { homeAt, isWritableHome } from './home.js';
import { findMilvusLite } from './python-engines.js';
import { milvusVersion } from './milvus-lite.js';
import { findPython, runCommand } from './python.js';
import { cacheFolder } from './setup-context.js';
import { findTemporalCli } from './temporal-cli.js';
import {
  endpointsAtWorker,
  inspectServer,
  stuckAtServer,
  temporalHistories,
  temporalWorkers,
} from './temporal-server.js';

/** Checks everything that the embedded services depend on, without any change. */
export async function inspect(environment: Environment, signal: AbortSignal): Promise<Inspection> {
  const home = homeAt(environment.TURNWISE_HOME);
  const supervision = supervisionOf(home.path);
  const server = serverOf(environment, supervision);
  const identified = findIdentity(environment, server);
  const [python, go, temporalCli, milvusLite, temporal, milvus, identity, database, models, stuck] =
    await Promise.all([
      findPython(signal),
      findGo(signal),
      findTemporalCli(temporalCandidatesOf(environment), signal),
      findMilvusLite(cacheFolder(environment.TURNWISE_CACHE), signal),
      reachTemporal(server),
      reachMilvus(environment, supervision),
      identified,
      findDatabase(environment, server),
      identified.then((identity) => findEndpoints(environment, server, identity)),
      identified.then((identity) => findStuck(server, identity)),
    ]);
  return {
    home: { path: home.path, writable: isWritableHome(environment.TURNWISE_HOME) },
    identity,
    python: found(python && { where: python.command, version: python.version }),
    go: found(go),
    temporalCli: found(temporalCli && { where: temporalCli.path, version: temporalCli.version }),
    milvusLite: found(milvusLite && { where: milvusLite.python, version: milvusLite.version }),
    supervision,
    temporal,
    milvus,
    database,
    models,
    stuck,
  };
}

const found = (it: { readonly where: string; readonly version: string } | undefined): Found =>
  it ? { kind: 'found', ...it } : { kind: 'missing' };

async function findGo(
  signal: AbortSignal,
): Promise<{ readonly where: string; readonly version: string } | undefined> {
  const result = await runCommand('go', ['version'], { signal, timeoutMs: 20_000 });
  const version = result.kind === 'done' ? /go(\d[\d.]*)/.exec(result.output)?.[1] : undefined;
  return version === undefined ? undefined : { where: 'go', version };
}

async function reachTemporal(server: ServerSettings | undefined): Promise<TemporalState> {
  return server === undefined ? { kind: 'not-running' } : inspectServer(server);
}

function serverOf(environment: Environment, supervision: Supervision): ServerSettings | undefined {
  if (environment.TEMPORAL_ADDRESS !== undefined) return namedServer(process.env);
  const address = readyRecord(supervision)?.temporalAddress;
  return address === undefined
    ? undefined
    : embeddedServer(address, environment.TEMPORAL_NAMESPACE);
}

/** Null where another server is used, or none has run yet. */
async function findDatabase(
  environment: Environment,
  server: ServerSettings | undefined,
): Promise<Inspection['database']> {
  if (environment.TEMPORAL_ADDRESS) return null;
  const path = temporalDatabase(environment.TURNWISE_HOME);
  const use = await databaseUse(path).catch(() => null);
  if (use === null) return null;
  const histories = server === undefined ? null : await temporalHistories(server).catch(() => null);
  return { path, ...use, histories, historyDays: environment.TURNWISE_HISTORY_DAYS };
}

async function findIdentity(
  environment: Environment,
  server: ServerSettings | undefined,
): Promise<HomeState> {
  try {
    const home = await readHome(openStorage(storageOf(environment)));
    if (home === null) return { kind: 'new' };
    requirePayloadKey(home, environment.TURNWISE_PAYLOAD_KEY, 'client');
    const { id } = home;
    const queue = taskQueueOf(environment.TURNWISE_TASK_QUEUE, id);
    const workers =
      server === undefined ? null : await temporalWorkers(server, queue).catch(() => null);
    return { kind: 'known', id, queue, workers };
  } catch (error) {
    return { kind: 'unreadable', reason: wordsOf(error) };
  }
}

async function findStuck(
  server: ServerSettings | undefined,
  identity: HomeState,
): Promise<Inspection['stuck']> {
  if (server === undefined || identity.kind !== 'known') return null;
  return stuckAtServer(server, identity.id).catch(() => null);
}

/** A worker's, where one polls: it has the keys. */
async function findEndpoints(
  environment: Environment,
  server: ServerSettings | undefined,
  identity: HomeState,
): Promise<Inspection['models']> {
  if (server !== undefined && identity.kind === 'known' && (identity.workers ?? 0) > 0) {
    const worker = { home: identity.id, taskQueue: identity.queue };
    const endpoints = await endpointsAtWorker(server, worker).catch(() => null);
    if (endpoints !== null) return { askedBy: 'worker', endpoints };
  }
  return { askedBy: 'here', endpoints: await askEndpoints(environment) };
}

async function reachMilvus(environment: Environment, supervision: Supervision): Promise<Reach> {
  const address = environment.MILVUS_ADDRESS ?? readyRecord(supervision)?.milvusAddress;
  if (address === undefined) return { kind: 'not-running' };
  const token = environment.MILVUS_ADDRESS ? environment.MILVUS_TOKEN : undefined;
  const version = await milvusVersion({ address, token });
  return version === undefined
    ? { kind: 'unreachable', address, reason: 'no healthy Milvus answers' }
    : { kind: 'reached', address, version };
}

function readyRecord(
  supervision: Supervision,
): { readonly temporalAddress: string; readonly milvusAddress: string } | undefined {
  return supervision.kind === 'supervised' && supervision.record.kind === 'ready'
    ? supervision.record
    : undefined;
}

const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
