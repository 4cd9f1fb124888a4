import { z } from 'zod';

/**
 * Questions in flight; `auto`: so many that the provider's limit is what binds, with calls as it takes them. Made anew
 * for each use: workflows share this module frozen (docs/decisions/0008), and a schema completes itself when it is first
 * used.
 */
export const concurrencySchema = (): z.ZodUnion<[z.ZodLiteral<'auto'>, z.ZodInt]> =>
  z.union([z.literal('auto'), z.int().min(1).max(2000)], { error: 'is auto, or 1 to 2000' });
export type Concurrency = z.infer<ReturnType<typeof concurrencySchema>>;

/** At 10 calls a second, as many as have a call under way when calls take 20 seconds. */
const autoWindow = 200;

/** Questions in flight at most. */
export const questionWindow = (concurrency: Concurrency): number =>
  concurrency === 'auto' ? autoWindow : concurrency;
