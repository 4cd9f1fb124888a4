import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ModelPort, ModelRequest } from '../../activities/ports/model.js';
import { cacheMark } from '../../domain/models/apis/request-body.js';
import { contentText, placeSystemMessage } from '../../domain/models/chat-message.js';

/** How long providers keep a prefix that no request uses. */
const keptMs = 5 * 60_000;
const mostPrefixes = 10_000;

/**
 * In characters: the 1,024 tokens that providers cache at least. English has four characters a token; where a token has
 * fewer, requests that share less than these do not wait. Counting tokens would take longer than it is worth.
 */
const shortestPrefix = 4 * 1024;

/**
 * A link of a model call whose provider caches prefixes, before the rate limit: the first call with a prefix goes ahead, and
 * the others wait until the provider has the prefix in its cache. If the first one fails, the next goes ahead.
 * @param longestWaitMs - after which a call goes on anyway: its activity has a time limit
 */
export function warmFirst(longestWaitMs = 2 * 60_000): (next: ModelPort) => ModelPort {
  /** `warm`, or whether the call that went ahead is answered. */
  const prefixes = new LRUCache<string, Promise<boolean> | 'warm'>({
    ...{ max: mostPrefixes, ttl: keptMs, updateAgeOnGet: true },
  });

  return (next) => ({
    complete: async (request, signal, report) => {
      const prefix = prefixOf(request);
      if (prefix === null) return next.complete(request, signal, report);
      const untilMs = performance.now() + longestWaitMs;
      for (let ahead = prefixes.get(prefix); ahead !== undefined; ahead = prefixes.get(prefix)) {
        if (ahead !== 'warm') report?.('waits for its turn');
        if (ahead === 'warm' || (await isAnswered(ahead, untilMs, signal)))
          return next.complete(request, signal, report);
      }
      const reply = next.complete(request, signal, report);
      const answered = reply.then(
        () => {
          prefixes.set(prefix, 'warm');
          return true;
        },
        () => {
          if (prefixes.peek(prefix) === answered) prefixes.delete(prefix);
          return false;
        },
      );
      prefixes.set(prefix, answered);
      return reply;
    },
  });
}

/** True, too, when the time is over. Rejects with the signal's reason. */
async function isAnswered(
  ahead: Promise<boolean>,
  untilMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  signal.throwIfAborted();
  let leave = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      leave = () => reject(signal.reason as Error); // Temporal and Node abort with an Error.
      signal.addEventListener('abort', leave);
      timer = setTimeout(() => resolve(true), untilMs - performance.now());
      void ahead.then(resolve);
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }
}

/** What the provider may have in its cache of a request; null for a call that does not wait. */
function prefixOf(request: ModelRequest): string | null {
  const { api, baseUrl, model, messages, systemRole, tools, replySchema } = request;
  if (request.isProbe || request.batched || request.warmFirst === false) return null;
  const placed = placeSystemMessage(messages, systemRole);
  // The mark that questions share is at the end of the instructions.
  const isMarked = api === 'anthropic';
  const shared = isMarked
    ? placed.filter(({ role }) => role === 'system' || role === 'developer')
    : placed;
  if (isMarked ? cacheMark(request) === null || shared.length === 0 : !isCheaper(request))
    return null;
  const schemas = JSON.stringify([tools, replySchema]);
  const text = shared.map(({ role, content }) => `${role} ${contentText(content)}`).join('\n');
  if (schemas.length + text.length < shortestPrefix) return null;
  const beginning = isMarked ? text : text.slice(0, Math.max(0, shortestPrefix - schemas.length));
  return createHash('sha256')
    .update(JSON.stringify([api, baseUrl, model, schemas, beginning]))
    .digest('base64');
}

const isCheaper = ({ price }: ModelRequest): boolean =>
  price?.cachedInput !== undefined && price.cachedInput < price.input;
