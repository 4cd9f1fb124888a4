import { condition } from '@temporalio/workflow';

/** Work of which no two pieces may be under way together. */
export class OneAtATime {
  busy = false;

  async do<T>(work: () => Promise<T>): Promise<T> {
    while (this.busy) await condition(() => !this.busy);
    this.busy = true;
    try {
      return await work();
    } finally {
      this.busy = false;
    }
  }
}
