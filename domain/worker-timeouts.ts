// These timeouts decide how soon another worker repeats the work of a lost one. The first must exceed the sum of the next
// two, with a margin for a busy worker: that sum is the longest time between two heartbeats that reach the server.

/** Temporal gives an activity to another worker after this time without a heartbeat. */
export const heartbeatTimeout = '8 seconds';

/** The same for activities over papers and stores, which a busy worker must not begin again for a late heartbeat. */
export const storeHeartbeatTimeout = '15 seconds';

/** How often an activity sends a heartbeat. Most activities end before the first one. */
export const heartbeatIntervalMs = 3_000;

/** The shortest interval at which the SDK passes heartbeats to the server, as each costs the server a write. */
export const heartbeatThrottle = '4 seconds';

/** How long a workflow task waits for the worker that has the workflow in its cache, before any worker may take it. */
export const stickyTimeout = '5 seconds';

/**
 * The workflow task timeout of a run. Shorter than Temporal's ten seconds, because the questions of a run with a budget
 * wait for its workflow. On a machine with four times as much load as it has cores, the longest task took 1.2 seconds.
 */
export const runTaskTimeout = '5 seconds';

/** Drawing a part of a page takes a second at most, unless the PDF is damaged. */
export const drawingTimeoutMs = 60_000;
