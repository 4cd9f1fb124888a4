import { z } from 'zod';
import { keptReplySchema } from '../agent/turn-record.js';
import type { ChatRequest } from '../models/chat-message.js';
import {
  modelConfigSchema,
  settingsThatShapeReplies,
  type ModelConfig,
} from '../models/model-settings.js';
import {
  enrichmentKinds,
  hashOf,
  type EnrichmentKind,
  type Item,
  enrichmentMessages,
  enrichmentPromptVersion,
} from './items.js';

const hash = z.string().regex(/^[0-9a-f]{32}$/);

/** A model's reply about an item, as it is stored before the activity completes, even if it cannot be used. */
export const enrichmentRecordSchema = keptReplySchema.extend({
  /** `Question.key`. */
  question: hash,
  /** `Item.key`. */
  item: hash,
  /** What the item is. It is not called `kind`, by which deferred calls are told from replies. */
  about: z.enum(enrichmentKinds),
});
export type EnrichmentRecord = Readonly<z.infer<typeof enrichmentRecordSchema>>;

/** The replies about a paper, in the folder of its store. They are not part of what is extracted, and outlive a new reading. */
export const enrichmentFolder = (sha256: string): string => `papers/${sha256}.enriched`;

export const enrichmentRecordName = ({ question }: { readonly question: string }): string =>
  `${question}.json`;

/** @param pictureUrl - a data URL; null where none is sent */
export function enrichmentRequest(
  { item, model: { name, ...settings } }: Question,
  pictureUrl: string | null,
): ChatRequest & Pick<ModelConfig, 'timeoutMs' | 'cache' | 'price'> {
  return { ...settings, model: name, messages: enrichmentMessages(item, pictureUrl) };
}

/** The request as it is counted beforehand: a picture that is not drawn yet counts as one of usual size. */
export const countedRequest = (question: Question): ReturnType<typeof enrichmentRequest> =>
  enrichmentRequest(question, question.isShown ? 'data:image/png;base64,' : null);

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

/** In the folder of the store. */
export const enrichmentJobFile = (id: EnrichmentId): string => `enrichment/${id}.json`;

/** The kinds that these models can be asked about. */
export const possibleKinds = ({
  model,
  vision,
}: Pick<EnrichmentJob, 'model' | 'vision'>): readonly EnrichmentKind[] =>
  enrichmentKinds.filter((kind) => modelFor(kind, { model, vision }) !== null);

/** The model that is asked. A table is shown to the model that sees pictures, if there is one. */
function modelFor(
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
