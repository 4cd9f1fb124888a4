/** `0.732`. */
export const decimals = (value: number): string => value.toFixed(3);

/** `12 %`, `0.4 %`: of a whole that is not nothing. */
export function percent(part: number, whole: number): string {
  const share = (100 * part) / whole;
  return `${share === 0 || share >= 10 ? Math.round(share) : share.toFixed(1)} %`;
}

/** `850 ms`, `3.2 s`, `41 s`, and minutes from a hundred seconds on. */
export function shortDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes} min ${Math.round(seconds % 60)} s`;
}

/** `2026-11-21 17:46 UTC`. */
export const instantText = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
