/** Calls `work` with every index below `count`, at most `limit` calls at once. */
export async function forEachConcurrently(
  limit: number,
  count: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, count) }, loop));
}
