/** Serves runs in turn, and the calls of one run in the order in which they came. */
export class FairQueue<T extends { readonly run: string }> {
  /** The calls of each run, at least one. The order of the keys is the order in which the runs are served. */
  readonly #runs = new Map<string, T[]>();

  get size(): number {
    return [...this.#runs.values()].reduce((sum, calls) => sum + calls.length, 0);
  }

  get first(): T | undefined {
    for (const [call] of this.#runs.values()) return call;
    return undefined;
  }

  /** The first call that is as wanted, of those that are the first of their runs. */
  firstWhere(isWanted: (call: T) => boolean): T | undefined {
    for (const [call] of this.#runs.values()) if (call && isWanted(call)) return call;
    return undefined;
  }

  get all(): readonly T[] {
    const [first = [], ...others] = this.#runs.values();
    return others.length === 0 ? first : first.concat(...others);
  }

  add(call: T): void {
    this.#runs.set(call.run, [...(this.#runs.get(call.run) ?? []), call]);
  }

  /** Puts a call that was refused before all other calls of its run. */
  addFirst(call: T): void {
    this.#runs.set(call.run, [call, ...(this.#runs.get(call.run) ?? [])]);
  }

  /** Removes the first call of a run. The run is served again after all others. */
  take({ run }: T): void {
    const [, ...rest] = this.#runs.get(run) ?? [];
    this.#runs.delete(run);
    if (rest.length > 0) this.#runs.set(run, rest);
  }

  remove(call: T): void {
    const rest = (this.#runs.get(call.run) ?? []).filter((one) => one !== call);
    if (rest.length > 0) this.#runs.set(call.run, rest);
    else this.#runs.delete(call.run);
  }
}
