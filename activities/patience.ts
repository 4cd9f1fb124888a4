/** What was to be done at once would have to wait. */
export class NotAtOnce extends Error {
  override readonly name = 'NotAtOnce';
}

/**
 * Does `work` unless it waits for longer than `patienceMs` at a time, when its signal fires and this rejects with NotAtOnce.
 * @param work - says when it waits, and when it does so no longer. What it does apart from that may take as long as it takes
 */
export async function withPatience<T>(
  patienceMs: number | null,
  outer: AbortSignal,
  work: (signal: AbortSignal, waits: (isWaiting: boolean) => void) => Promise<T>,
): Promise<T> {
  if (patienceMs === null) return work(outer, () => undefined);
  const impatience = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const waits = (isWaiting: boolean): void => {
    clearTimeout(timer);
    if (isWaiting) timer = setTimeout(() => impatience.abort(new NotAtOnce()), patienceMs);
  };
  try {
    return await work(AbortSignal.any([outer, impatience.signal]), waits);
  } catch (error) {
    throw impatience.signal.aborted ? impatience.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}
