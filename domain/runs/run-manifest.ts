import { z } from 'zod';
import { runIdSchema } from '../ids.js';
import { runConfigSchema } from './run-config.js';
import { runTotalsSchema } from './run-totals.js';
import { storeManifestSchema } from '../stores/store-manifest.js';

/** `manifest.json`: what a run is, enough to repeat it. What changes after the start is `status`, `endedAt`, `totals` and the configuration's limits. */
export const runManifestSchema = z.object({
  run: runIdSchema,
  status: z.enum(['running', 'done', 'cancelled']),
  dataset: z.object({
    path: z.string(),
    /** SHA-256 of the snapshot in the run's folder, in hex. */
    fingerprint: z.string(),
    items: z.int().positive(),
  }),
  store: storeManifestSchema.pick({ name: true, fingerprint: true, collections: true }),
  config: runConfigSchema,
  versions: z.object({
    turnwise: z.string(),
    prompts: z.string(),
    judgePrompts: z.string(),
    schema: z.string(),
    gitRevision: z.string().nullable(),
  }),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  totals: runTotalsSchema.nullable(),
  /** The run whose turns it took over where they hold for it. Absent where it began from nothing. */
  forkedFrom: runIdSchema.optional(),
  /** Of a fork: the first turn that is asked anew in all questions. Absent where whole conversations were taken over. */
  fromTurn: z.int().min(1).optional(),
});
export type RunManifest = Readonly<z.infer<typeof runManifestSchema>>;
