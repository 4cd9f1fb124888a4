import { z } from 'zod';
import { option } from './option.js';

/** `KIND/MODEL`, as a store's manifest names an embedder: vectors of equal names are comparable. */
export const miniLmName = 'sentence-transformers/all-MiniLM-L6-v2';
export const hashingName = 'hashing/384';

const endpointModel = /^openai[:/](.+)$/;

/** The name of an embedder as people write it: `minilm`, `hashing` or `openai:MODEL`. Parsed to that of the manifest. */
export const embedderSchema = z
  .string()
  .refine(
    (name) => nameOf(name) !== null,
    "must be 'minilm', 'hashing' (for tests: it compares spelling) or 'openai:MODEL', e.g. openai:text-embedding-3-small",
  )
  .transform((name) => nameOf(name) ?? name);

export const embedderOption = {
  embedder: option(
    '<name>',
    'what makes vectors of the texts: minilm (on this machine), openai:MODEL, or hashing (default: that of the store, else TURNWISE_EMBEDDER, else minilm)',
    embedderSchema.optional(),
  ),
};

function nameOf(written: string): string | null {
  if (written === 'minilm' || written === miniLmName) return miniLmName;
  if (written === 'hashing' || written === hashingName) return hashingName;
  const model = endpointModel.exec(written)?.[1];
  return model === undefined ? null : `openai/${model}`;
}

/** The model of an endpoint, where an embedder is one. */
export const modelOfEndpoint = (embedder: string): string | null =>
  endpointModel.exec(embedder)?.[1] ?? null;
