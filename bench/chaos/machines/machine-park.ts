import { startMachine, type Machine, type Site } from './machine.js';

/** The machines that work at one site. */
export class MachinePark {
  readonly #starting: Promise<void>[] = [];
  readonly #running = new Map<string, Machine>();
  readonly #atWork = new Set<string>();
  readonly #foreign = new Set<string>();

  constructor(readonly site: Site) {}

  /** Starts a machine; `ready` says when it asks for work. */
  add(name: string): void {
    const starting = startMachine(this.site, name).then((machine) => {
      this.#running.set(name, machine);
    });
    // `ready` tells.
    starting.catch(() => undefined);
    this.#starting.push(starting);
  }

  /** Resolves when all machines ask for work. Rejects if one cannot be started. */
  async ready(): Promise<void> {
    await Promise.all(this.#starting);
  }

  /** For good: its disk goes too. */
  kill(name: string): void {
    this.inspect();
    this.#running.get(name)?.kill();
    this.#running.delete(name);
  }

  /** Which machines have worked so far, and the paths of others that one could find or had open. */
  inspect(): { readonly atWork: readonly string[]; readonly foreign: readonly string[] } {
    for (const { name, hasWorked, foreign } of this.#running.values()) {
      if (hasWorked()) this.#atWork.add(name);
      for (const path of foreign()) this.#foreign.add(`${name}: ${path}`);
    }
    return { atWork: [...this.#atWork], foreign: [...this.#foreign] };
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#running.values()].map((machine) => machine.stop()));
  }
}
