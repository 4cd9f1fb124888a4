/** The `system_fingerprint` of replies that no language model wrote: whatever shows a result says so. */
export const simulatedFingerprint = 'simulated';
