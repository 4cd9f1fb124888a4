// How soon another worker does again what a lost one had begun. The three belong together: a heartbeat that is sent
// reaches the server after `heartbeatIntervalMs` and `heartbeatThrottle` at most, and a busy worker needs what is left.

/** Of every activity: after so long without a heartbeat, it is given to another worker. */
export const heartbeatTimeout = '8 seconds';

/** How often an activity says that it lives. Most are done before. */
export const heartbeatIntervalMs = 3_000;

/** How often the server is told at most: each time costs it a write. */
export const heartbeatThrottle = '4 seconds';

/** How long the next step of a workflow waits for the worker that did the one before, and remembers it. */
export const stickyTimeout = '5 seconds';

/**
 * How long a step of a run's workflow may take, in place of ten seconds: its questions wait for it where the run has a
 * budget. With both cores taken by others four times over the longest step took 1.2 seconds.
 */
export const runTaskTimeout = '5 seconds';
