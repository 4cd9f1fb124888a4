import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { RunId } from '../../../domain/ids.js';
import {
  runCondition,
  type LiveSummary,
  type RunCondition,
} from '../../../domain/runs/run-progress.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import type { Environment } from '../../../domain/settings.js';
import type { HomeClient } from '../../services/home-client.js';
import { connectTemporal } from '../../services/session.js';
import { queryProgress, queryRun } from '../query-run.js';
import { RunFolder } from '../run-folder.js';
import { takeSnapshot, type AskServer, type RunSnapshot } from './run-snapshot.js';

/** The cache waits 20 times as long as a snapshot took: refreshing takes about 5 % of the time. */
const restFactor = 20;
const leastRestMs = 3_000;
/** However long a snapshot takes, a later one is there before this one is too old to be returned. */
const mostRestMs = 30_000;

/** The latest snapshot of a run. The cache refreshes it until the run has ended or a snapshot fails. */
export class SnapshotCache {
  #latest: RunSnapshot | null = null;
  #pending: Promise<RunSnapshot> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(private readonly takeSnapshot: () => Promise<RunSnapshot>) {}

  /** Null before the first snapshot, and after `invalidate`. */
  get latest(): RunSnapshot | null {
    return this.#latest;
  }

  /** A new snapshot, or the one that is being taken. */
  refresh(): Promise<RunSnapshot> {
    if (this.#pending) return this.#pending;
    const startedAtMs = Date.now();
    const pending = this.takeSnapshot();
    this.#pending = pending;
    pending.then(
      (snapshot) => {
        if (this.#pending === pending) this.#store(snapshot, Date.now() - startedAtMs);
      },
      () => {
        // Each caller gets the error from `pending`; the next caller takes a new snapshot.
        if (this.#pending === pending) this.#pending = null;
      },
    );
    return pending;
  }

  #store(snapshot: RunSnapshot, tookMs: number): void {
    this.#pending = null;
    this.#latest = snapshot;
    if (snapshot.stored?.manifest.status === 'running') {
      const restMs = Math.max(leastRestMs, restFactor * tookMs);
      this.#refreshAfter(Math.min(restMs, mostRestMs));
    }
  }

  /** The run was started or changed: earlier snapshots are not used any more. */
  invalidate(): void {
    this.#latest = null;
    this.#pending = null;
    this.#refreshAfter(leastRestMs);
  }

  #refreshAfter(delayMs: number): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.refresh().catch(() => undefined);
    }, delayMs).unref();
  }

  /** Stops refreshing. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
  }
}

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

  /** What each of these runs does. A server that does not answer counts as none. */
  async conditions(
    manifests: readonly Pick<RunManifest, 'run' | 'status'>[],
  ): Promise<ReadonlyMap<RunId, RunCondition>> {
    const open = manifests.filter(({ status }) => status === 'running');
    const address = open.length > 0 ? await this.temporalAddress().catch(() => null) : null;
    const liveOf =
      address === null
        ? []
        : await this.#asking(address, (client) =>
            Promise.all(
              open.map(async ({ run }) => [run, await queryProgress(client, run)] as const),
            ),
          ).catch(() => []);
    const live = new Map<RunId, LiveSummary>(liveOf);
    return new Map(
      manifests.map(({ run, status }) => [
        run,
        runCondition(status, live.get(run) ?? { kind: 'no-services' }),
      ]),
    );
  }

  readonly #ask =
    (address: string): AskServer =>
    (query) =>
      this.#asking(address, (client) => queryRun(client, query));

  async #asking<T>(address: string, ask: (client: HomeClient) => Promise<T>): Promise<T> {
    if (this.#connectedTo !== address) await this.#disconnect();
    this.#connectedTo = address;
    this.#client ??= connectTemporal(address, this.environment);
    try {
      return await ask(await this.#client);
    } catch (error) {
      await this.#disconnect();
      throw error;
    }
  }

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
