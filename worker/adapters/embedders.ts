import type { EmbedderPort } from '../../activities/ports/embedder.js';
import { hashingEmbedder } from './hashing-embedder.js';
import { createOpenAiEmbedder, type OpenAiEmbedderOptions } from './openai-embedder.js';

export type Embedders = (name: string) => EmbedderPort;

/**
 * Embedders by the name that a store's manifest gives them (`hashing/384`, `openai/MODEL`), or by the setting
 * TURNWISE_EMBEDDER (`hashing`, `openai:MODEL`).
 */
export function createEmbedders(endpoint: Omit<OpenAiEmbedderOptions, 'model'>): Embedders {
  const opened = new Map<string, EmbedderPort>();
  return (name) => {
    const known = opened.get(name) ?? open(name);
    opened.set(name, known);
    return known;
  };

  function open(name: string): EmbedderPort {
    if (name === 'hashing' || name === hashingEmbedder.name) return hashingEmbedder;
    const [, model] = /^openai[:/](.+)$/.exec(name) ?? [];
    if (model !== undefined) return createOpenAiEmbedder({ ...endpoint, model });
    throw new Error(
      `There is no embedder '${name}': set TURNWISE_EMBEDDER to 'hashing' or 'openai:MODEL', e.g. openai:text-embedding-3-small.`,
    );
  }
}
