/** Lets a few through at a time, in the order in which they came. */
export interface Turnstile {
  /** Resolves once there is a place for `who`, which has it until it leaves or its time is over. */
  readonly enter: (who: string) => Promise<void>;
  /** Of no effect for one that is not inside. */
  readonly leave: (who: string) => void;
}

export function createTurnstile({
  places,
  mostMs,
}: {
  readonly places: number;
  /** What has taken longer than this waits for something else than a processor. */
  readonly mostMs: number;
}): Turnstile {
  const inside = new Map<string, NodeJS.Timeout>();
  const waiting: { readonly who: string; readonly go: () => void }[] = [];

  function admit(who: string): void {
    clearTimeout(inside.get(who));
    inside.set(
      who,
      setTimeout(() => leave(who), mostMs),
    );
  }

  function leave(who: string): void {
    if (!inside.has(who)) return;
    clearTimeout(inside.get(who));
    inside.delete(who);
    const next = waiting.shift();
    if (next === undefined) return;
    admit(next.who);
    next.go();
  }

  return {
    leave,
    enter: (who) => {
      if (inside.size < places) {
        admit(who);
        return Promise.resolve();
      }
      return new Promise((go) => waiting.push({ who, go }));
    },
  };
}
