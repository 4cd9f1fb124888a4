import { z } from 'zod';
import {
  modelConfigSchema,
  settingsThatShapeReplies,
  type ModelConfig,
} from '../models/model-settings.js';
import { enrichmentKinds, hashOf, type EnrichmentKind, type Item } from './items.js';
import { enrichmentPromptVersion } from './prompts.js';

/** Which models are asked about what in a store. */
export const enrichmentJobSchema = z.object({
  /** `enrichmentPromptVersion`. */
  prompts: z.string(),
  /** Asked about texts; null if nothing is. */
  model: modelConfigSchema.nullable(),
  /** Asked about pictures; null if nothing is. */
  vision: modelConfigSchema.nullable(),
  kinds: z.array(z.enum(enrichmentKinds)).readonly(),
  /** Papers of the store, as its manifest names them. */
  papers: z
    .array(z.object({ paperId: z.uuid(), sha256: z.string(), file: z.string() }))
    .min(1)
    .readonly(),
});
export type EnrichmentJob = Readonly<z.infer<typeof enrichmentJobSchema>>;

export const enrichmentIdSchema = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .brand<'EnrichmentId'>();
export type EnrichmentId = z.infer<typeof enrichmentIdSchema>;

/** The same command over the same store has the same id. */
export const enrichmentIdOf = (job: EnrichmentJob): EnrichmentId =>
  enrichmentIdSchema.parse(hashOf(job).slice(0, 16));

/** In the folder of the store, as its batches are. */
export const enrichmentJobFolder = (id: EnrichmentId): string => `enrichment/${id}`;
export const enrichmentJobFile = (id: EnrichmentId): string => `${enrichmentJobFolder(id)}.json`;

/** The kinds that these models can be asked about. */
export const possibleKinds = ({
  model,
  vision,
}: Pick<EnrichmentJob, 'model' | 'vision'>): readonly EnrichmentKind[] =>
  enrichmentKinds.filter((kind) => modelFor(kind, { model, vision }) !== null);

/** The model that is asked. A table is shown to the model that sees pictures, if there is one. */
export function modelFor(
  kind: EnrichmentKind,
  { model, vision }: Pick<EnrichmentJob, 'model' | 'vision'>,
): ModelConfig | null {
  if (kind === 'scans' || kind === 'images') return vision;
  return kind === 'tables' ? (vision ?? model) : model;
}

/** A page of print has up to about 1,500 tokens, and twice as many in other scripts than Latin. */
const pageTokens = 4_096;

/** A question about an item to the model of its job. */
export interface Question {
  readonly item: Item;
  readonly model: ModelConfig;
  /** Whether the model sees a picture. */
  readonly isShown: boolean;
  /** Identifies the question: a hash of the item, the prompts and what shapes the model's replies. */
  readonly key: string;
}

/** Null if the job does not ask about the item. */
export function questionAbout(item: Item, job: EnrichmentJob): Question | null {
  const configured = job.kinds.includes(item.kind) ? modelFor(item.kind, job) : null;
  if (configured === null) return null;
  const isShown = item.picture !== null && configured === job.vision;
  const model =
    item.kind === 'scans'
      ? { ...configured, maxTokens: Math.max(configured.maxTokens, pageTokens) }
      : configured;
  const asked = hashOf(enrichmentPromptVersion, isShown, settingsThatShapeReplies(model));
  return { item, model, isShown, key: hashOf(item.key, asked) };
}
