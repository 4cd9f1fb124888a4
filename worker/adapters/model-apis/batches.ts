import { z } from 'zod';
import type { BatchesPort, BatchResult } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { keyHeaders, urlUnder } from '../../../domain/model-api.js';
import type { Batch, BatchAddress, BatchedAnswer } from '../../../domain/runs/batches.js';
import { exchange } from '../http/exchange.js';
import { answersOf, batchApis, type Sender, type ToldBatch } from './batch-apis.js';
import { answered } from './call-endpoint.js';
import { keyFor, type EndpointKeys } from './endpoint.js';
import { nonsenseFailure, type Asked } from './failures.js';
import { readBatched } from './model.js';

/** A hundred megabytes go up, and more come down. */
const timeoutMs = 15 * 60_000;
/** Clocks may differ by so much. */
const clockDoubtMs = 10 * 60_000;

/** The batches of OpenAI and what is compatible with it, of Anthropic and of Gemini. A key is sent only to the base URL it is for. */
export const createBatches = (keys: EndpointKeys): BatchesPort => ({
  check: async (address, signal) => {
    const { asked, send } = callerOf(keys, address, signal);
    await withBatches(asked, () => send.text({ path: batchApis[address.api].listPath }));
  },
  submit: (batch, bodies, onUpload, signal) => {
    const { asked, send } = callerOf(keys, batch.address, signal, bodies);
    return withBatches(asked, () => batchApis[asked.api].create(batch, bodies, send, onUpload));
  },
  find: async (batch, signal) => {
    const { send } = callerOf(keys, batch.address, signal);
    const mark = batchApis[batch.address.api].markOf(batch);
    let isUndecided = false;
    for await (const told of mark === undefined ? [] : listed(batch, send)) {
      if ((told.atMs ?? Infinity) < (batch.begunAtMs ?? 0) - clockDoubtMs) break;
      const { id } = told;
      if (mark !== null && told.mark === mark) return { id, isUndecided: false };
      if (mark !== null || told.calls !== batch.calls.length) continue;
      // Only the answers of a batch without a mark tell whose it is.
      if (told.isOpen) isUndecided = true;
      else if ((await answersOf(told, batch, send)).size > 0) return { id, isUndecided: false };
    }
    return { id: null, isUndecided };
  },
  poll: async (batch, signal) => {
    const { asked, send } = callerOf(keys, batch.address, signal);
    const api = batchApis[asked.api];
    const told = await send.json(api.told, { path: api.pathOf(batch.id) });
    const { isOpen, refusal, mostTokens = null } = told;
    if (isOpen) return { kind: 'open' };
    if (refusal) return { kind: 'refused', result: resultOf(refusal, asked), mostTokens };
    const answers = await answersOf(told, batch, send);
    const results = [...answers].map(([at, answer]) => [at, resultOf(answer, asked)] as const);
    return { kind: 'ended', results: new Map(results) };
  },
  cancel: async (batch, signal) => {
    const { pathOf, cancels } = batchApis[batch.address.api];
    const { send } = callerOf(keys, batch.address, signal);
    await send.text({ path: `${pathOf(batch.id)}${cancels}`, body: '{}' });
  },
});

function callerOf(
  keys: EndpointKeys,
  { api, baseUrl, model }: Omit<BatchAddress, 'path'>,
  signal: AbortSignal,
  sent: readonly unknown[] = [],
): { readonly asked: Asked; readonly send: Sender } {
  const key = keyFor(keys[api], baseUrl);
  const secrets = [keys[api].apiKey ?? '', ...sent.map((body) => JSON.stringify(body))];
  const facts = { keySent: key !== undefined, images: false, tools: false };
  const asked: Asked = { api, baseUrl, model, timeoutMs, secrets, ...facts };
  const text: Sender['text'] = async ({ path, body, type = 'application/json' }) => {
    const headers = {
      ...(body !== undefined && { 'content-type': type }),
      ...keyHeaders(api, key),
    };
    const request = { method: body === undefined ? 'GET' : 'POST', headers, body };
    const url = urlUnder(baseUrl, path);
    const answer = await answered(asked, signal, (over) =>
      exchange(url, { ...request, signal: over }),
    );
    return answer.body;
  };
  const json: Sender['json'] = async (schema, request) => {
    const { data } = schema.safeParse(jsonIn(await text(request)));
    if (data !== undefined) return data;
    throw nonsenseFailure('answered a request for a batch with other JSON', new Headers(), asked);
  };
  return { asked, send: { text, json } };
}

const pageSchema = z.object({
  data: z.array(z.unknown()).optional(),
  operations: z.array(z.unknown()).default([]),
  has_more: z.boolean().nullish(),
  nextPageToken: z.string().min(1).optional(),
});

/** All batches of an account, the latest first. */
async function* listed({ address }: Batch, send: Sender): AsyncIterable<ToldBatch> {
  const { listPath, nextPage, told } = batchApis[address.api];
  for (let query = ''; ;) {
    const page = await send.json(pageSchema, { path: `${listPath}${query}` });
    const batches = (page.data ?? page.operations).flatMap(
      (batch) => told.safeParse(batch).data ?? [],
    );
    yield* batches;
    const next = page.nextPageToken ?? (page.has_more ? batches.at(-1)?.id : undefined);
    if (next === undefined) return;
    query = `&${nextPage}=${encodeURIComponent(next)}`;
  }
}

function resultOf(answer: BatchedAnswer, asked: Asked): BatchResult {
  try {
    return { ...answer, tokens: readBatched(answer, asked).tokens, failure: null };
  } catch (error) {
    if (error instanceof PortFailure) return { ...answer, tokens: null, failure: error.type };
    throw error;
  }
}

/** Does work that fails where the API has no batches, and says so. */
async function withBatches<T>({ baseUrl, model }: Asked, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PortFailure) || error.type !== 'ModelUnknown') throw error;
    const message = `${new URL(baseUrl).host} has no batches for ${model}: leave out --batch`;
    throw new PortFailure('ModelUnknown', message);
  }
}
