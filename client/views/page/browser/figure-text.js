/** @param {number} ms - `850 ms`, `3.2 s`, `41 s`, and minutes from a hundred seconds on */
export function durationText(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** @param {number | null} usd - shown with two decimals, and below ten cents with two significant digits */
export function costText(usd) {
  if (usd === null) return 'cost unknown';
  const digits = usd === 0 ? 2 : Math.max(2, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(Math.min(10, digits))}`;
}

/** @param {number} count */
export const countText = (count) => count.toLocaleString('en-US');
