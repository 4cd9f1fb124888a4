import { condition } from '@temporalio/workflow';

/** Runs one piece of work at a time. */
export class Mutex {
  #busy = false;

  async run<T>(work: () => Promise<T>): Promise<T> {
    while (this.#busy) await condition(() => !this.#busy);
    this.#busy = true;
    try {
      return await work();
    } finally {
      this.#busy = false;
    }
  }
}
