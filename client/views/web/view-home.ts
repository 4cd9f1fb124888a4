import { runIdSchema, type RunId } from '../../../domain/ids.js';
import type { Environment } from '../../../domain/settings.js';
import { UserError } from '../../../domain/user-error.js';
import { RunFolder } from '../../runs/run-folder.js';
import { StatusReader } from '../../runs/status-reader.js';
import { readyServices, type Services } from '../../services/ensure-services.js';
import type { PathParameters } from './view-page.js';

/** How long what is known of the services is used. */
const servicesMs = 2_000;

/** What the data functions of all pages share: the settings, the services that run, and the reader of runs. */
export class ViewHome {
  readonly reader: StatusReader;
  #services: { readonly atMs: number; readonly found: Promise<Services | undefined> } | null = null;

  constructor(readonly environment: Environment) {
    this.reader = new StatusReader(environment, async () => {
      const services = await this.services();
      return services?.temporalAddress ?? null;
    });
  }

  /** Those that run already. None are started: they would continue every run. */
  services(): Promise<Services | undefined> {
    const now = performance.now();
    if (this.#services === null || now - this.#services.atMs > servicesMs) {
      this.#services = { atMs: now, found: readyServices(this.environment) };
    }
    return this.#services.found;
  }

  folder(run: RunId): RunFolder {
    return RunFolder.of(this.environment, run);
  }

  close(): Promise<void> {
    return this.reader.close();
  }
}

/** Throws UserError where it cannot be the name of a run. */
export function runIn(parameters: PathParameters, name = 'run'): RunId {
  const parsed = runIdSchema.safeParse(parameters[name]);
  if (parsed.success) return parsed.data;
  throw new UserError(`there is no run ${parameters[name] ?? ''}`);
}
