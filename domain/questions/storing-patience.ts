/** How long one attempt at a model call holds on to a reply that was paid for and cannot be stored, in milliseconds. */
export const storingPatienceMs = 600_000;
