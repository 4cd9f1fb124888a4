/**
 * Of Node for a worker. Most of what it makes lives for a turn or two: with the usual 16 MiB for what is new a tenth of its
 * time goes into moving that to where it is not collected soon (docs/decisions/0008).
 */
export const workerFlags: readonly string[] = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];
