import { setImmediate as turn } from 'node:timers/promises';
import type { ObjectStorage } from '../../../storage/objects.js';

/** What goes wrong on a network share. All of it is drawn from a seed. */
export interface SlowShare {
  /** The share as one machine sees it. */
  readonly mount: () => ObjectStorage;
  /** Lets every machine see everything, and fails no more. */
  readonly calm: () => void;
}

/**
 * A network share on which each machine sees what others wrote only after a while, in any order, and on which operations
 * are slow and fail: before they were done, or after. What a machine wrote itself it sees at once.
 * @param open - the place itself
 */
export function slowShare(open: () => ObjectStorage, seed: number): SlowShare {
  const random = randomFrom(seed);
  /** How many looks at an object other machines still have to take before they see it, by path. */
  const hidden = new Map<string, { readonly writer: symbol; looks: number }>();
  let isCalm = false;

  const mount = (): ObjectStorage => {
    const place = open();
    const machine = Symbol('machine');

    const isHidden = (path: string): boolean => {
      const state = hidden.get(path);
      if (isCalm || state === undefined || state.writer === machine) return false;
      state.looks -= 1;
      if (state.looks <= 0) hidden.delete(path);
      return true;
    };
    const slow = async <T>(work: () => Promise<T>): Promise<T> => {
      for (let waits = Math.floor(random() * 4); waits > 0; waits -= 1) await turn();
      if (!isCalm && random() < 0.1) throw new Error('the share does not answer');
      const done = await work();
      if (!isCalm && random() < 0.1) throw new Error('the answer of the share was lost');
      return done;
    };
    const wrote = (path: string): void => {
      if (!isCalm) hidden.set(path, { writer: machine, looks: Math.ceil(random() * 3) });
    };
    return {
      ...place,
      read: (path) => slow(async () => (isHidden(path) ? null : place.read(path))),
      readRange: (path, start, end) =>
        slow(async () => (isHidden(path) ? null : place.readRange(path, start, end))),
      version: (path) => slow(async () => (isHidden(path) ? null : place.version(path))),
      write: (path, content) =>
        slow(async () => {
          await place.write(path, content);
          wrote(path);
        }),
      create: (path, content) =>
        slow(async () => {
          const isNew = await place.create(path, content);
          if (isNew) wrote(path);
          return isNew;
        }),
      remove: (path) => slow(() => place.remove(path)),
      list: (folder) =>
        slow(async () =>
          (await place.list(folder)).filter((name) => !isHidden(`${folder}/${name}`)),
        ),
    };
  };
  return {
    mount,
    calm: () => {
      isCalm = true;
    },
  };
}

/** Numbers from 0 to 1, the same for the same seed (the generator of Park and Miller). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
