import { LRUCache } from 'lru-cache';

/** How much of what every turn of a question reads again stays in memory. */
const cachedBytes = 16 * 2 ** 20;
/** What a value takes beside its text: objects, keys, and its place in the cache. It is most of what a short question takes. */
const overheadBytes = 1024;

/** Values that were parsed from short texts. The least recently used make room. */
export class ParsedCache<Key extends string | number, Value extends object> {
  readonly #kept = new LRUCache<Key, Value>({ maxSize: cachedBytes });

  get(key: Key): Value | undefined {
    return this.#kept.get(key);
  }

  /** @param textBytes - of the text that the value was parsed from */
  set(key: Key, value: Value, textBytes: number): void {
    this.#kept.set(key, value, { size: textBytes + overheadBytes });
  }
}
