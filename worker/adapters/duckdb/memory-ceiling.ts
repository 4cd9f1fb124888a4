/**
 * Ends this process when it holds more than `ceilingMb`, after `lastWord`. DuckDB's own `memory_limit` does not count the
 * texts that functions make (`repeat`, `lpad`, lists), which can grow by a gigabyte a second inside one function call.
 */
export function endWhenOverMemory(ceilingMb: number, lastWord: (then: () => void) => void): void {
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() < ceilingMb * 2 ** 20) return;
    clearInterval(watch);
    lastWord(endNow);
  }, 20);
}

/** An ordinary exit would wait for DuckDB's threads. */
export const endNow = (): void => void process.kill(process.pid, 'SIGKILL');
