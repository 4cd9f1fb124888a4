import { z } from 'zod';
import type { BatchesPort, BatchResult } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { keyHeaders, urlUnder, type ModelApi } from '../../../domain/model-api.js';
import { lateStatus } from '../../../domain/models/provider-errors.js';
import {
  entryName,
  placeOfEntry,
  type Batch,
  type BatchAddress,
  type BatchedAnswer,
} from '../../../domain/runs/batches.js';
import { exchange } from '../http/exchange.js';
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

/** Sends a request; one without a body is a GET. Throws PortFailure. */
interface Sender {
  readonly text: (sent: Sent) => Promise<string>;
  readonly json: <T>(schema: z.ZodType<T>, sent: Sent) => Promise<T>;
}

interface Sent {
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly type?: string;
}

/** What an API tells of a batch. */
interface ToldBatch {
  readonly id: string;
  readonly isOpen: boolean;
  /** When it was made, in milliseconds since 1970. Absent where it is not told, like the others. */
  readonly atMs?: number;
  /** What no other batch has. */
  readonly mark?: string | null | undefined;
  readonly calls?: number;
  /** Its answers, and where there are more. */
  readonly lines?: readonly unknown[];
  readonly files?: readonly string[];
  /** Why none of its calls was made, and the tokens that the account may have at once, if that is why. */
  readonly refusal?: BatchedAnswer | undefined;
  readonly mostTokens?: number | undefined;
}

/** The answer to a call; null if the call was not made. */
type Line = readonly [entry: string, answer: BatchedAnswer | null];

interface BatchApi {
  readonly listPath: string;
  /** The parameter of the list that names its next page. */
  readonly nextPage: string;
  readonly pathOf: (id: string) => string;
  /** What is behind the path of a batch that is to be cancelled. */
  readonly cancels: string;
  readonly told: z.ZodType<ToldBatch>;
  readonly line: z.ZodType<Line>;
  /** The mark of a batch; null where there are none, undefined where it has none yet and so cannot have been made. */
  readonly markOf: (batch: Batch) => string | null | undefined;
  /** Resolves to the id of the batch. @param onUpload - as in BatchesPort */
  readonly create: (
    batch: Batch,
    bodies: readonly unknown[],
    send: Sender,
    onUpload: (file: string) => Promise<void>,
  ) => Promise<string>;
}

/** Answers by the places of their calls. */
async function answersOf(
  { lines = [], files = [] }: ToldBatch,
  batch: Batch,
  send: Sender,
): Promise<ReadonlyMap<number, BatchedAnswer>> {
  const texts = await Promise.all(files.map((path) => send.text({ path })));
  const all = [...lines, ...texts.flatMap((text) => text.split('\n').map(jsonIn))];
  const { line } = batchApis[batch.address.api];
  return new Map(
    all.flatMap((value) => {
      const [entry, answer = null] = line.safeParse(value).data ?? [];
      const place = placeOfEntry(batch, entry);
      return place === undefined || answer === null ? [] : [[place, answer] as const];
    }),
  );
}

const idSchema = z.object({ id: z.string().min(1) });
const errorSchema = z.object({
  code: z.union([z.string(), z.number()]).nullish(),
  message: z.string().nullish(),
});

/** An error as the API would have sent it alone. */
function errorAnswer(error: z.infer<typeof errorSchema>, status?: number): BatchedAnswer {
  const body = { error: { code: error.code ?? null, message: error.message ?? '' } };
  return { status: status ?? lateStatus(body) ?? 500, body };
}

/** A file of requests, which no other batch is made of, and files of answers. */
const openAi: BatchApi = {
  ...{ listPath: '/batches?limit=100', nextPage: 'after', cancels: '/cancel' },
  pathOf: (id) => `/batches/${id}`,
  markOf: ({ file }) => file,
  told: z
    .object({
      id: z.string(),
      status: z.string(),
      created_at: z.number(),
      input_file_id: z.string().nullish(),
      output_file_id: z.string().nullish(),
      error_file_id: z.string().nullish(),
      request_counts: z.object({ completed: z.number() }).nullish().catch(null),
      errors: z
        .object({ data: z.array(errorSchema.extend({ line: z.int().nullish() })).nullish() })
        .nullish(),
    })
    .transform(({ id, status, errors, ...batch }) => {
      const files = [batch.output_file_id, batch.error_file_id].flatMap((file) => file ?? []);
      const base = {
        ...{ id, atMs: batch.created_at * 1000, mark: batch.input_file_id },
        files: files.map((file) => `/files/${file}/content`),
      };
      // The file of answers may come later than the status.
      const isAwaited = files.length === 0 && (batch.request_counts?.completed ?? 0) > 0;
      const hasEnded = /^(completed|expired|cancelled)$/.test(status) && !isAwaited;
      if (status !== 'failed') return { ...base, isOpen: !hasEnded };
      const { line, code, message } = errors?.data?.[0] ?? {};
      const most = /Limit: ([\d,]+) enqueued tokens/.exec(message ?? '')?.[1];
      // What is wrong with one request may quote it to the others.
      const told = { code, message: line == null ? message : null };
      return {
        ...{ ...base, isOpen: false },
        refusal: errorAnswer(told, code === 'token_limit_exceeded' ? 429 : 400),
        mostTokens: most === undefined ? undefined : Number(most.replaceAll(',', '')),
      };
    }),
  line: z
    .object({
      custom_id: z.string(),
      response: z.object({ status_code: z.int(), body: z.json() }).nullish(),
      error: errorSchema.nullish(),
    })
    .transform(({ custom_id: entry, response, error }): Line => {
      if (response) return [entry, { status: response.status_code, body: response.body }];
      const isUnasked = !error || /^batch_(expired|cancelled)$/.test(String(error.code));
      return [entry, isUnasked ? null : errorAnswer(error)];
    }),
  create: async (batch, bodies, send, onUpload) => {
    const url = `/v1${batch.address.path}`;
    const file = batch.file ?? (await upload(batch, bodies, url, send));
    await onUpload(file);
    const asked = { input_file_id: file, endpoint: url, completion_window: '24h' };
    const body = JSON.stringify({ ...asked, metadata: { turnwise: batch.name } });
    return (await send.json(idSchema, { path: '/batches', body })).id;
  },
};

async function upload(
  batch: Batch,
  bodies: readonly unknown[],
  url: string,
  send: Sender,
): Promise<string> {
  const requests = bodies.map((body, place) =>
    JSON.stringify({ custom_id: entryName(batch, place), method: 'POST', url, body }),
  );
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([requests.join('\n')]), `${batch.name}.jsonl`);
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? '';
  const body = new Uint8Array(await encoded.arrayBuffer());
  return (await send.json(idSchema, { path: '/files', body, type })).id;
}

const messageBatches = '/v1/messages/batches';

/** Requests in one message. A batch has no mark: the names of its calls are with its answers. */
const anthropic: BatchApi = {
  ...{ listPath: `${messageBatches}?limit=100`, nextPage: 'after_id', cancels: '/cancel' },
  pathOf: (id) => `${messageBatches}/${id}`,
  markOf: () => null,
  told: z
    .object({
      id: z.string(),
      processing_status: z.string(),
      created_at: z.string(),
      request_counts: z.record(z.string(), z.number()),
    })
    .transform(({ id, processing_status: status, created_at: at, request_counts: counts }) => ({
      ...{ id, isOpen: status !== 'ended', atMs: Date.parse(at) },
      calls: Object.values(counts).reduce((a, b) => a + b, 0),
      files: [`${messageBatches}/${id}/results`],
    })),
  line: z
    .object({
      custom_id: z.string(),
      result: z.object({ message: z.json().optional(), error: z.json().optional() }),
    })
    .transform(({ custom_id: entry, result: { message, error } }): Line => {
      if (message !== undefined) return [entry, { status: 200, body: message }];
      return [
        entry,
        error === undefined ? null : { status: lateStatus(error) ?? 500, body: error },
      ];
    }),
  create: async (batch, bodies, send) => {
    const requests = bodies.map((params, at) => ({ custom_id: entryName(batch, at), params }));
    const body = JSON.stringify({ requests });
    return (await send.json(idSchema, { path: messageBatches, body })).id;
  },
};

/** Of Google's numbers of errors those that have another status than 500. */
const googleStatuses: Readonly<Record<string, number>> = {
  ...{ 3: 400, 5: 404, 7: 403, 8: 429, 9: 400, 11: 400, 14: 503, 16: 401 },
};

const googleAnswer = (error: z.infer<typeof errorSchema>): BatchedAnswer =>
  errorAnswer(error, googleStatuses[String(error.code)]);

const nameSchema = z.object({ name: z.string().min(1) });

/** Requests in one message, and answers in what is told of the batch: none where it expired. */
const gemini: BatchApi = {
  ...{ listPath: '/v1beta/batches?pageSize=100', nextPage: 'pageToken', cancels: ':cancel' },
  pathOf: (id) => `/v1beta/${id}`,
  markOf: ({ name }) => name,
  told: nameSchema
    .extend({
      done: z.boolean().default(false),
      metadata: z.object({ state: z.string().default(''), displayName: z.string().nullish() }),
      error: errorSchema.default({}),
      response: z
        .object({ inlinedResponses: z.object({ inlinedResponses: z.array(z.unknown()) }) })
        .optional()
        .catch(undefined),
    })
    .transform(({ name: id, done, metadata: { state, displayName }, error, response }) => ({
      ...{ id, mark: displayName },
      isOpen: !done && !/_(SUCCEEDED|FAILED|CANCELLED|EXPIRED)$/.test(state),
      lines: response?.inlinedResponses.inlinedResponses ?? [],
      refusal: state.endsWith('_FAILED') ? googleAnswer(error) : undefined,
    })),
  line: z
    .object({
      metadata: z.object({ key: z.string() }),
      response: z.json().optional(),
      error: errorSchema.optional(),
    })
    .transform(({ metadata: { key: entry }, response: body, error }): Line => {
      if (body !== undefined) return [entry, { status: 200, body }];
      return [entry, error ? googleAnswer(error) : null];
    }),
  create: async (batch, bodies, send) => {
    const requests = bodies.map((request, at) => {
      return { request, metadata: { key: entryName(batch, at) } };
    });
    const path = batch.address.path.replace(/:generateContent$/, ':batchGenerateContent');
    const asked = { displayName: batch.name, inputConfig: { requests: { requests } } };
    return (await send.json(nameSchema, { path, body: JSON.stringify({ batch: asked }) })).name;
  },
};

const batchApis: Readonly<Record<ModelApi, BatchApi>> = {
  ...{ chat: openAi, responses: openAi },
  ...{ anthropic, gemini },
};
