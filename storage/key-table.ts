import { createHash } from 'node:crypto';

/** Words of 32 bits in a slot: three of the hash, and one of the number. */
const slotWords = 4;
const leastSlots = 1024;

/**
 * Texts, each with a number. It takes 32 bytes for a text, where a map of strings takes five times as much: the keys of a
 * run of a million questions fit into 32 MB. Of each text it keeps 96 bits of a hash, so no two texts are taken for one.
 */
export class KeyTable {
  #slots = new Uint32Array(leastSlots * slotWords);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Null for a text that is not there. */
  get(text: string): number | null {
    const stored = this.#slots[this.#placeOf(hashOf(text)) + 3] ?? 0;
    return stored === 0 ? null : stored - 1;
  }

  has(text: string): boolean {
    return this.get(text) !== null;
  }

  /** Keeps the number of a text that is there. @param number - from 0 to 2^32 - 2 */
  add(text: string, number = this.#size): void {
    if (2 * (this.#size + 1) > this.#slots.length / slotWords) this.#grow();
    this.#put(hashOf(text), number + 1);
  }

  #put(hash: readonly number[], stored: number): void {
    const place = this.#placeOf(hash);
    if (this.#slots[place + 3] !== 0) return;
    this.#slots.set([...hash, stored], place);
    this.#size += 1;
  }

  /** Where the hash is, or the empty slot where it would be put. At least half of the slots are empty. */
  #placeOf([a = 0, b = 0, c = 0]: readonly number[]): number {
    const slots = this.#slots;
    const last = slots.length / slotWords - 1;
    for (let slot = a & last; ; slot = (slot + 1) & last) {
      const place = slot * slotWords;
      if (slots[place + 3] === 0) return place;
      if (slots[place] === a && slots[place + 1] === b && slots[place + 2] === c) return place;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(2 * before.length);
    this.#size = 0;
    for (let place = 0; place < before.length; place += slotWords) {
      const stored = before[place + 3] ?? 0;
      if (stored !== 0) this.#put([...before.subarray(place, place + 3)], stored);
    }
  }
}

function hashOf(text: string): readonly number[] {
  const hash = createHash('sha256').update(text).digest();
  return [hash.readUInt32LE(0), hash.readUInt32LE(4), hash.readUInt32LE(8)];
}
