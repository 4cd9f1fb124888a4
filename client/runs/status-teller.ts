import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import type { RunId } from '../../domain/ids.js';
import type { Environment } from '../../domain/settings.js';
import { queryRun } from './query-run.js';
import { KeptSnapshot } from './kept-snapshot.js';
import { RunFolder } from './run-folder.js';
import { takeSnapshot, type Ask, type RunSnapshot } from './run-snapshot.js';
import type { StatusRequest } from './status-socket.js';
import { statusOutput } from '../views/status-text.js';
import { connectTemporal } from '../services/session.js';

/** Of each it holds what it has read. */
const runsKept = 3;
/** Longest that an older look is preferred to waiting for a new one. */
const tellableMs = 60_000;
/** How long a new look may take where there is an older one. */
const waitMs = 300;

interface KeptRun {
  readonly folder: RunFolder;
  readonly look: KeptSnapshot;
}

/** Of a run that has ended only what is there is told: nothing but its files need be read. */
const isTellable = async ({ manifest, nowMs }: RunSnapshot, folder: RunFolder): Promise<boolean> =>
  [manifest, await folder.manifest()].every(({ status }) => status === 'running') &&
  Date.now() - nowMs < tellableMs;

/**
 * Says how runs stand. It keeps its connection and what it has read, and goes on looking at the runs it was asked about:
 * where every core is busy a new look takes seconds.
 */
export class StatusTeller {
  readonly #kept = new LRUCache<RunId, KeptRun>({
    max: runsKept,
    dispose: ({ look }) => look.forget(),
  });
  #client: Promise<Client> | null = null;

  constructor(
    private readonly environment: Environment,
    private readonly temporalAddress: string,
  ) {}

  /** Rejects where there is no such run, or its server does not answer. */
  async tell({ run, as }: StatusRequest): Promise<string> {
    const { folder, look } = this.#kept.get(run) ?? this.#keep(run);
    if (as === 'nothing') {
      look.outdate();
      return '';
    }
    const now = look.look();
    const { latest } = look;
    const all =
      latest !== null && (await isTellable(latest, folder))
        ? await Promise.race([now, sleep(waitMs, latest)])
        : await now;
    return statusOutput(all, as === 'json');
  }

  #keep(run: RunId): KeptRun {
    const { TURNWISE_HOME, TURNWISE_TASK_QUEUE } = this.environment;
    const folder = new RunFolder(TURNWISE_HOME, run);
    const look = new KeptSnapshot(async () => {
      const ask = (await folder.manifest()).status === 'running' ? this.#ask : null;
      return takeSnapshot(folder, TURNWISE_TASK_QUEUE, Promise.resolve(ask));
    });
    const kept = { folder, look };
    this.#kept.set(run, kept);
    return kept;
  }

  readonly #ask: Ask = async (query) => {
    this.#client ??= connectTemporal(this.temporalAddress);
    try {
      return await queryRun(await this.#client, query);
    } catch (error) {
      await this.#disconnect();
      throw error;
    }
  };

  async close(): Promise<void> {
    this.#kept.clear();
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.then(({ connection }) => connection.close()).catch(() => undefined);
  }
}
