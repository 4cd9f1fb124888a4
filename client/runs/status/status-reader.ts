import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { RunId } from '../../../domain/ids.js';
import type { Environment } from '../../../domain/settings.js';
import type { HomeClient } from '../../services/home-client.js';
import { connectTemporal } from '../../services/session.js';
import { queryRun } from '../query-run.js';
import { RunFolder } from '../run-folder.js';
import { takeSnapshot, type AskServer, type RunSnapshot } from './run-snapshot.js';
import { SnapshotCache } from './snapshot-cache.js';

/** Runs whose files stay in memory. */
const cachedRuns = 3;
/** A snapshot older than this is never returned in place of a new one. */
const maxAgeMs = 60_000;
/** How long to wait for a new snapshot where there is an earlier one. */
const waitMs = 300;

interface CachedRun {
  readonly folder: RunFolder;
  readonly snapshots: SnapshotCache;
}

/**
 * Takes snapshots of runs. It keeps its connection and the runs' files, and refreshes the snapshots of the runs that
 * were asked about: on a busy machine a new snapshot takes seconds.
 */
export class StatusReader {
  readonly #runs = new LRUCache<RunId, CachedRun>({
    max: cachedRuns,
    dispose: ({ snapshots }) => snapshots.close(),
  });
  #client: Promise<HomeClient> | null = null;

  #connectedTo: string | null = null;

  /** @param temporalAddress - of the server whose workers have the runs. Resolves to null while there is none */
  constructor(
    private readonly environment: Environment,
    private readonly temporalAddress: () => Promise<string | null>,
  ) {}

  /** A new snapshot; the latest one where a new one takes too long. Rejects where there is no such run, or its server does not answer. */
  async snapshot(run: RunId): Promise<RunSnapshot> {
    const { folder, snapshots } = this.#cached(run);
    const refreshed = snapshots.refresh();
    const { latest } = snapshots;
    return latest !== null && (await isUsable(latest, folder))
      ? Promise.race([refreshed, sleep(waitMs, latest)])
      : refreshed;
  }

  /** A snapshot that is being taken now, however long that takes. */
  fresh(run: RunId): Promise<RunSnapshot> {
    return this.#cached(run).snapshots.refresh();
  }

  /** The run was started or changed. Its next snapshot is taken before anybody asks. */
  noteChange(run: RunId): void {
    this.#cached(run).snapshots.invalidate();
  }

  async close(): Promise<void> {
    this.#runs.clear();
    await this.#disconnect();
  }

  #cached(run: RunId): CachedRun {
    const known = this.#runs.get(run);
    if (known) return known;
    const folder = RunFolder.of(this.environment, run);
    const snapshots = new SnapshotCache(async () => {
      const isRunning = (await folder.manifest()).status === 'running';
      const address = isRunning ? await this.temporalAddress() : null;
      const ask = address === null ? null : this.#ask(address);
      return takeSnapshot({ run, folder, ask: Promise.resolve(ask) });
    });
    const cached = { folder, snapshots };
    this.#runs.set(run, cached);
    return cached;
  }

  readonly #ask =
    (address: string): AskServer =>
    async (query) => {
      if (this.#connectedTo !== address) await this.#disconnect();
      this.#connectedTo = address;
      this.#client ??= connectTemporal(address, this.environment);
      try {
        return await queryRun(await this.#client, query);
      } catch (error) {
        await this.#disconnect();
        throw error;
      }
    };

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.then(({ connection }) => connection.close()).catch(() => undefined);
  }
}

/** The state of an ended run is in its files, which are quick to read: no earlier snapshot stands in for it. */
const isUsable = async ({ stored, takenAtMs }: RunSnapshot, folder: RunFolder): Promise<boolean> =>
  [stored?.manifest, await folder.manifest()].every((each) => each?.status === 'running') &&
  Date.now() - takenAtMs < maxAgeMs;
