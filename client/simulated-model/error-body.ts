import { z } from 'zod';

/** An error as OpenAI writes it. */
export const errorBody = (message: string, type: string, code: string | null): object => ({
  error: { message, type, param: null, code },
});

export const invalidBody = (error: z.ZodError): object =>
  errorBody(z.prettifyError(error), 'invalid_request_error', null);

/** `Retry-After` in whole seconds as HTTP has it, and exactly. */
export const retryAfterHeaders = (waitMs: number): Readonly<Record<string, string>> => ({
  'retry-after': String(Math.ceil(waitMs / 1000)),
  'retry-after-ms': String(Math.ceil(waitMs)),
});
