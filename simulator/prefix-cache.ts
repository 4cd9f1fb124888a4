import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ChatRequest } from './chat-request.js';

/** As at OpenAI. */
const shortestTokens = 1024;
const stepTokens = 128;
/** As the simulator counts tokens. */
const stepBytes = 4 * stepTokens;

/** The prefixes of prompts that were replied to. The least recently used ones are forgotten. */
export interface PrefixCache {
  /** The tokens of the longest prefix that is known. */
  readonly read: (request: ChatRequest) => number;
  /** Adds the prefixes of a prompt. */
  readonly write: (request: ChatRequest) => void;
}

/** @param mostSteps - usually enough for 1,500 prompts of 8,000 tokens */
export function createPrefixCache(mostSteps = 100_000): PrefixCache {
  const known = new LRUCache<string, true>({ max: mostSteps });
  return {
    read: (request) => {
      const steps = stepsOf(request);
      const missing = steps.findIndex((step) => known.get(step) === undefined);
      const tokens = stepTokens * (missing === -1 ? steps.length : missing);
      return tokens < shortestTokens ? 0 : tokens;
    },
    write: (request) => {
      for (const step of stepsOf(request)) known.set(step, true);
    },
  };
}

/** A hash of each prefix that ends with a step. */
function stepsOf({ model, tools, messages }: ChatRequest): readonly string[] {
  const prompt = Buffer.from(
    [
      model,
      JSON.stringify(tools ?? null),
      ...messages.flatMap(({ role, content, tool_calls: calls, pictures }) => [
        role,
        content,
        JSON.stringify([calls, pictures]),
      ]),
    ].join('\n'),
  );
  const hash = createHash('sha256');
  return Array.from({ length: Math.floor(prompt.length / stepBytes) }, (_, step) => {
    hash.update(prompt.subarray(step * stepBytes, (step + 1) * stepBytes));
    return hash.copy().digest('base64');
  });
}
