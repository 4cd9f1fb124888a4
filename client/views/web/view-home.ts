import { runIdSchema, sampleKeySchema, type RunId, type SampleKey } from '../../../domain/ids.js';
import {
  resultsFile,
  rulingsFile,
  scoresFile,
  type RunManifest,
} from '../../../domain/runs/run-manifest.js';
import { storageOf, type Environment } from '../../../domain/settings.js';
import { UserError } from '../../../domain/user-error.js';
import { openRunFiles } from '../../../storage/runs/run-files.js';
import { absence, RunFolder } from '../../runs/run-folder.js';
import { StatusReader } from '../../runs/status/status-reader.js';
import {
  readyServices,
  type Services,
  questionPage,
  runPage,
} from '../../services/ensure-services.js';
import { identityOf } from '../../services/home-client.js';
import { readReportedRun, type ReportedRun } from '../../runs/reported-run.js';
import type { PathParameters } from './view-page.js';

/** How long what is known of the services is used: to find out takes a process. */
const runningMs = 30_000;
const absentMs = 5_000;
/** Runs whose results stay in memory. */
const keptRuns = 4;

interface StoredRun {
  readonly version: string;
  readonly reported: Promise<ReportedRun>;
}

/** What the data functions of all pages share: the settings, the services that run, and the readers of runs. */
export class ViewHome {
  readonly reader: StatusReader;
  readonly #stored = new Map<RunId, StoredRun>();
  readonly #files;
  #services: Services | undefined;
  #lookedAtMs = -Infinity;
  #looking: Promise<void> | null = null;

  constructor(readonly environment: Environment) {
    this.#files = openRunFiles(storageOf(environment));
    this.reader = new StatusReader(environment, async () => {
      const services = await this.services();
      return services?.temporalAddress ?? null;
    });
  }

  /** Those that run already. None are started: they would continue every run. */
  async services(): Promise<Services | undefined> {
    this.lookForServices();
    if (this.#lookedAtMs === -Infinity) await this.#looking;
    return this.#services;
  }

  /** As far as is known, without waiting. */
  get knownServices(): Services | undefined {
    this.lookForServices();
    return this.#services;
  }

  /** Finds out in the background, unless that was done lately. @param now - whether that does not count */
  lookForServices(now = false): void {
    const ageMs = performance.now() - this.#lookedAtMs;
    if (!now && ageMs < (this.#services ? runningMs : absentMs)) return;
    this.#looking ??= readyServices(this.environment)
      .catch(() => undefined)
      .then((found) => {
        this.#services = found;
        this.#lookedAtMs = performance.now();
        this.#looking = null;
      });
  }

  /** All of them read through the same cache. */
  folder(run: RunId): RunFolder {
    const { environment } = this;
    return new RunFolder(environment.TURNWISE_HOME, run, storageOf(environment), this.#files);
  }

  /** All results of a run. They are read again when they have changed; notes always are. Throws UserError where there is no such run. */
  async stored(run: RunId): Promise<ReportedRun> {
    const folder = this.folder(run);
    const { status } = await folder.manifest();
    const version = await figuresVersion(folder, status);
    const known = this.#stored.get(run);
    this.#stored.delete(run);
    const kept =
      known?.version === version ? known : { version, reported: readReportedRun(folder, []) };
    // The map keeps the order of use.
    this.#stored.set(run, kept);
    for (const oldest of [...this.#stored.keys()].slice(0, -keptRuns)) this.#stored.delete(oldest);
    return { ...(await kept.reported), notes: await folder.notes() };
  }

  /** Where the Temporal UI shows a run, or a question of it. Null where nothing tells the address of the UI. */
  async temporalPage(run: RunId, key?: SampleKey): Promise<string | null> {
    const services = this.knownServices;
    if (!services?.uiAddress) return null;
    const { home } = await identityOf(this.environment);
    const place = { ...this.environment, ...services };
    return key ? questionPage(place, home, run, key) : runPage(place, home, run);
  }

  close(): Promise<void> {
    return this.reader.close();
  }
}

/** Changes when the figures of a run may have changed. */
export async function figuresVersion(
  folder: RunFolder,
  status: RunManifest['status'],
): Promise<string> {
  const files = [resultsFile, scoresFile, rulingsFile];
  const written = await Promise.all(files.map((file) => folder.writtenMs(file)));
  return JSON.stringify([status, ...written]);
}

/** Throws UserError where it cannot be the name of a run. */
export function runIn(parameters: PathParameters, name = 'run'): RunId {
  const parsed = runIdSchema.safeParse(parameters[name]);
  if (parsed.success) return parsed.data;
  throw absence((parameters[name] ?? '') as RunId);
}

/** Throws UserError where it cannot be one. */
export function sampleIn({ uuid, epoch }: PathParameters): SampleKey {
  const parsed = sampleKeySchema.safeParse({ uuid, epoch: Number(epoch) });
  if (parsed.success) return parsed.data;
  throw new UserError(`there is no question ${uuid ?? ''} in epoch ${epoch ?? ''}`);
}
