import { z } from 'zod';
import { keptReplySchema } from '../agent/turn-record.js';
import type { ChatRequest } from '../models/chat-message.js';
import type { ModelConfig } from '../models/model-settings.js';
import { enrichmentKinds } from './items.js';
import type { Question } from './job.js';
import { enrichmentMessages } from './prompts.js';

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
