import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { ConnectionOptions } from '@temporalio/client';
import { taskQueueOf } from '../../domain/home.js';
import type { Found, HomeState, Inspection, Reach, Supervision } from '../../domain/services.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { readHomeId } from '../../storage/home-id.js';
import { openStorage } from '../../storage/open-storage.js';
import { databaseUse, temporalDatabase } from '../../storage/temporal-database.js';
import { temporalCandidatesOf } from './engines.js';
import { homeAt, isWritableHome, type Home } from './home.js';
import { findMilvusLite } from './milvus-lite-engine.js';
import { milvusVersion } from './milvus-lite.js';
import { judgeRecord, systemProcessTable, type ProcessTable } from './process-table.js';
import { findPython, runCommand } from './python.js';
import { readServicesFile } from './services-file.js';
import { cacheFolder } from './setup-context.js';
import { findTemporalCli } from './temporal-cli.js';
import { temporalHistories, temporalServerVersion, temporalWorkers } from './temporal-server.js';

/** Which supervisor runs the services of `home`, if any. */
export function supervisionOf(home: Home, table: ProcessTable = systemProcessTable): Supervision {
  const record = readServicesFile(home.servicesFile);
  const found = judgeRecord(record, table);
  switch (found.kind) {
    case 'none':
      return { kind: 'none' };
    case 'supervised':
      return record ? { kind: 'supervised', record } : { kind: 'none' };
    case 'orphaned':
      return { kind: 'orphaned', names: found.orphans.map(({ name }) => name) };
  }
}

/** Checks everything that the embedded services depend on, without any change. */
export async function inspect(environment: Environment, signal: AbortSignal): Promise<Inspection> {
  const home = homeAt(environment.TURNWISE_HOME);
  const supervision = supervisionOf(home);
  const [python, go, temporalCli, milvusLite, temporal, milvus, identity, database] = await Promise.all([
    findPython(signal),
    findGo(signal),
    findTemporalCli(temporalCandidatesOf(environment), signal),
    findMilvusLite(cacheFolder(environment.TURNWISE_CACHE), signal),
    reachTemporal(environment, supervision),
    reachMilvus(environment, supervision),
    findIdentity(environment, supervision),
    findDatabase(environment, supervision),
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

async function reachTemporal(environment: Environment, supervision: Supervision): Promise<Reach> {
  const address = temporalAddress(environment, supervision);
  if (address === undefined) return { kind: 'not-running' };
  try {
    const version = await temporalServerVersion(connectionTo(address, environment));
    return { kind: 'reached', address, version };
  } catch (error) {
    return { kind: 'unreachable', address, reason: wordsOf(error) };
  }
}

const temporalAddress = (environment: Environment, supervision: Supervision): string | undefined =>
  environment.TEMPORAL_ADDRESS ?? readyRecord(supervision)?.temporalAddress;

/** The embedded server has no keys. The settings for another server are those of Temporal's own tools. */
const connectionTo = (address: string, environment: Environment): ConnectionOptions =>
  environment.TEMPORAL_ADDRESS ? loadClientConnectConfig().connectionOptions : { address };

/** Null where another server is used, or none has run yet. */
async function findDatabase(
  environment: Environment,
  supervision: Supervision,
): Promise<Inspection['database']> {
  if (environment.TEMPORAL_ADDRESS) return null;
  const path = temporalDatabase(environment.TURNWISE_HOME);
  const use = await databaseUse(path).catch(() => null);
  if (use === null) return null;
  const address = readyRecord(supervision)?.temporalAddress;
  const histories =
    address === undefined
      ? null
      : await temporalHistories({ address }, environment.TEMPORAL_NAMESPACE).catch(() => null);
  return { path, ...use, histories, historyDays: environment.TURNWISE_HISTORY_DAYS };
}

async function findIdentity(
  environment: Environment,
  supervision: Supervision,
): Promise<HomeState> {
  try {
    const id = await readHomeId(openStorage(storageOf(environment)));
    if (id === null) return { kind: 'new' };
    const queue = taskQueueOf(environment.TURNWISE_TASK_QUEUE, id);
    const address = temporalAddress(environment, supervision);
    const workers =
      address === undefined
        ? null
        : await temporalWorkers(connectionTo(address, environment), {
            namespace: environment.TEMPORAL_NAMESPACE,
            queue,
          }).catch(() => null);
    return { kind: 'known', id, queue, workers };
  } catch (error) {
    return { kind: 'unreadable', reason: wordsOf(error) };
  }
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
