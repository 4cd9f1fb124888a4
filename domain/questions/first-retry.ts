/** After which a call that failed is made again, in milliseconds, where the provider names no time. */
export const firstRetryMs = 1_000;
