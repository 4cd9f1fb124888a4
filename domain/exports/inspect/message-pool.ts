import type { InspectObject } from './inspect-object.js';

/** Messages that many model calls of a question repeat, each kept once: Inspect's events point at them. */
export class MessagePool {
  readonly messages: InspectObject[] = [];
  readonly #places = new Map<string, number>();

  /** Where they are in the pool, as ranges that leave out their ends. */
  refs(messages: readonly InspectObject[]): readonly (readonly [number, number])[] {
    const ranges: [number, number][] = [];
    for (const place of messages.map((message) => this.#place(message))) {
      const last = ranges.at(-1);
      if (last?.[1] === place) last[1] = place + 1;
      else ranges.push([place, place + 1]);
    }
    return ranges;
  }

  #place(message: InspectObject): number {
    const key = JSON.stringify(message);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.messages.length);
    return this.messages.push(message) - 1;
  }
}
