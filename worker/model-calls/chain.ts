import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { createHash } from 'node:crypto';
import type { AccountsPort } from '../../activities/ports/accounts.js';
import type { ModelPort, ModelRequest } from '../../activities/ports/model.js';
import type { BatchFilesPort } from '../../activities/ports/run-files.js';
import { type EndpointKeys, endpointUrl } from '../adapters/model-apis/endpoint.js';
import {
  createModel,
  askedOf,
  digestOf,
  exchanged,
  readBatched,
} from '../adapters/model-apis/model.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { billsSchema, noBills, worstCase, type Bills } from '../../domain/budget/amount.js';
import { sizeOf } from '../../domain/budget/call-size.js';
import { requestBody, requestPath, cacheMark } from '../../domain/models/apis/request-body.js';
import {
  finishReasons,
  toolCallSchema,
  contentText,
  placeSystemMessage,
} from '../../domain/models/chat-message.js';
import {
  failureName,
  waitingCallFile,
  waitingCallSchema,
  type BatchedCall,
  type WaitingCall,
} from '../../domain/runs/batches.js';
import { billsFile } from '../../domain/runs/run-manifest.js';
import { jsonText, readJsonFile, writeFileIfPossible } from '../../storage/atomic-file.js';
import { cachedReplyFile, noteUse } from '../../storage/cached-replies.js';
import { rateLimiting } from './rate-limit.js';
import { reserving, type Budgets } from './reserve.js';
import type { SentCalls } from './sent-calls.js';

/**
 * Every model call of a worker passes these links: sent calls → reserve → cache → warm first → rate limit → request. A link
 * takes the next ModelPort and returns a ModelPort. A cached reply neither waits for the rate limit nor counts towards it. A
 * call in a batch passes cache → batch.
 */
export function createModelCalls({
  budgets,
  keys,
  accounts,
  worker,
  cacheFolder,
  sentCalls,
  measured,
  batchFiles,
}: {
  readonly budgets: Budgets;
  readonly keys: EndpointKeys;
  readonly accounts: AccountsPort;
  /** The name of this worker in its reports to provider accounts. */
  readonly worker: string;
  readonly cacheFolder: string;
  readonly sentCalls: SentCalls;
  /** Measures what is sent, and what comes in a batch. */
  readonly measured: (next: ModelPort) => ModelPort;
  readonly batchFiles: BatchFilesPort;
}): ModelPort {
  const reserve = reserving(budgets);
  const cache = caching(cacheFolder);
  const warm = warmFirst();
  const rateLimit = rateLimiting({ keys, accounts, worker });
  const request = measured(createModel(keys));
  const atOnce = sentCalls.link(reserve(cache(warm(rateLimit(request)))));
  const inBatches = cache(measured(batching(batchFiles, keys)));
  return {
    complete: (asked, ...others) => (asked.batched ? inBatches : atOnce).complete(asked, ...others),
  };
}

const count = z.int().nonnegative();

/** The contents of a cache file. */
const keptReplySchema = z.object({
  reply: z.object({
    content: z.string(),
    reasoning: z.string().exactOptional(),
    toolCalls: z.array(toolCallSchema).exactOptional(),
    finishReason: z.enum(finishReasons),
    model: z.string(),
    tokens: z
      .object({ prompt: count, completion: count, cached: count, reasoning: count.exactOptional() })
      .nullable(),
  }),
});

/**
 * The second link of a model call: replies from files to requests that were made before, if the request allows it. Two
 * requests are the same if their endpoint, all parameters and all messages are equal. Each reply is a file, written
 * atomically, so that any number of processes can share the folder. Two equal requests at the same time are both sent, and
 * one of the replies is kept. The files hold a hash of the request, not its messages or pictures. Which replies
 * a run has used is noted, for `turnwise runs rm --cache`.
 */
export const caching =
  (folder: string) =>
  (next: ModelPort): ModelPort => ({
    complete: async (request, signal, report) => {
      if (!request.cache) return next.complete(request, signal, report);
      const key = keyOf(request);
      const path = cachedReplyFile(folder, key);
      if (request.run !== undefined) await noteUse(folder, request.run, key);
      // A damaged file counts as missing.
      const kept = keptReplySchema.safeParse(await readJsonFile(path).catch(() => undefined));
      if (kept.success) return { ...kept.data.reply, cacheHit: true };
      const reply = await next.complete(request, signal, report);
      // The reply is paid for: it is returned even if the disk is full.
      await writeFileIfPossible(path, jsonText(keptReplySchema.parse({ reply })));
      return reply;
    },
  });

/** SHA-256 of the address and the body of a request, in hex. A streamed reply is the same one. */
function keyOf(asked: ModelRequest): string {
  const request = { ...asked, stream: false };
  return createHash('sha256')
    .update(
      JSON.stringify([endpointUrl(request.baseUrl), requestPath(request), requestBody(request)]),
    )
    .digest('hex');
}

/**
 * The last link of a call in a batch, instead of the rate limit and the request: the answer of its batch. Without one, the
 * call is kept in the files of its run or job to be collected, and rejects with PortFailure (`ModelDeferred`). The run or job
 * reserves what it may cost.
 */
export const batching = (batchFiles: BatchFilesPort, keys: EndpointKeys): ModelPort => ({
  complete: async (request) => {
    const { batched: call } = request;
    if (call === undefined) throw new Error('the call belongs to no batch');
    const files = batchFiles(call.owner);
    const bills = (await files.json(billsFile, billsSchema)) ?? noBills;
    const asked = waitingCallOf(request, call, bills);
    const answer =
      (await files.answer(call, asked.id)) ?? (await files.answer(call, failureName(asked)));
    if (answer !== null) {
      const read = readBatched(answer, askedOf(keys, request));
      const reply = exchanged(read, asked.body, digestOf(answer.body));
      // What a run's batches have cost is in their files. A job counts its replies.
      return 'run' in call.owner ? { ...reply, batched: true } : reply;
    }
    const file = waitingCallFile(call);
    const known = await files.json(file, waitingCallSchema);
    // Also of an earlier asking, if it is paid for.
    const isKnown =
      known?.id === asked.id && (known.batch !== null || known.asking === asked.asking);
    if (!isKnown) await files.saveText(file, JSON.stringify(asked));
    const { need, batch } = isKnown ? known : asked;
    throw new PortFailure('ModelDeferred', 'its call is collected for a batch', {
      ...{ reason: 'batch', need },
      ...(batch !== null && { batch }),
    });
  },
});

function waitingCallOf(
  request: ModelRequest,
  { uuid, epoch, asking, call }: BatchedCall,
  bills: Bills,
): WaitingCall {
  const { api, baseUrl, model } = request;
  const size = sizeOf(request);
  const [path, body] = [requestPath(request), requestBody(request)];
  const hash = createHash('sha256').update(JSON.stringify([uuid, epoch, call, path, body]));
  return waitingCallSchema.parse({
    ...{ uuid, epoch, asking, size, body, failed: 0, batch: null },
    id: hash.digest('hex').slice(0, 32),
    need: worstCase(size, bills),
    address: { api, baseUrl, model, path },
  });
}

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
