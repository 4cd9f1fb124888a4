/** Serves runs in turn, and the calls of a run in the order in which they came. */
export class FairQueue<T extends { readonly run: string }> {
  /** Of each run, never empty; in the order in which the runs are served next. */
  #runs: readonly (readonly T[])[] = [];

  get size(): number {
    return this.#runs.reduce((sum, calls) => sum + calls.length, 0);
  }

  get first(): T | undefined {
    return this.#runs[0]?.[0];
  }

  get all(): readonly T[] {
    return this.#runs.flat();
  }

  add(call: T): void {
    this.#change(call, (calls) => [...calls, call]);
  }

  /** Before all others of its run: it has waited already. */
  addFirst(call: T): void {
    this.#change(call, (calls) => [call, ...calls]);
  }

  /** Takes the first one out; its run is served again after all others. */
  take(): void {
    const [calls = [], ...others] = this.#runs;
    this.#runs = [...others, calls.slice(1)].filter((rest) => rest.length > 0);
  }

  remove(call: T): void {
    this.#change(call, (calls) => calls.filter((one) => one !== call));
  }

  #change({ run }: T, change: (calls: readonly T[]) => readonly T[]): void {
    const at = this.#runs.findIndex(([call]) => call?.run === run);
    const changed = change(this.#runs[at] ?? []);
    const runs = at < 0 ? [...this.#runs, changed] : this.#runs.with(at, changed);
    this.#runs = runs.filter((calls) => calls.length > 0);
  }
}
