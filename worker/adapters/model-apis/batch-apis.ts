import { z } from 'zod';
import { jsonIn } from '../../../domain/formats/json.js';
import type { ModelApi } from '../../../domain/model-api.js';
import { lateStatus } from '../../../domain/models/provider-errors.js';
import {
  entryName,
  placeOfEntry,
  type BatchedAnswer,
  type Batch,
} from '../../../domain/runs/batches.js';

/** Requests to an API; those without a body are GETs. Both throw PortFailure. */
export interface Sender {
  readonly text: (sent: Sent) => Promise<string>;
  readonly json: <T>(schema: z.ZodType<T>, sent: Sent) => Promise<T>;
}

interface Sent {
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly type?: string;
}

/** What an API tells of a batch. */
export interface ToldBatch {
  readonly id: string;
  /** When it was made, in milliseconds since 1970. Null where it is not told. */
  readonly atMs: number | null;
  readonly isOpen: boolean;
  /** What no other batch has. Null if there is nothing. */
  readonly mark: string | null;
  readonly calls: number | null;
  /** The answers, and paths of files with answers. */
  readonly lines?: readonly unknown[];
  readonly files: readonly string[];
  /** Why none of its calls was made. */
  readonly refusal?: BatchedAnswer | undefined;
  /** The tokens that the account may have in batches, where there are too many. */
  readonly mostTokens?: number | undefined;
}

/** A line of answers. Its answer is null for a call that was not made. */
interface Line {
  readonly entry: string;
  readonly answer: BatchedAnswer | null;
}

interface BatchApi {
  readonly listPath: string;
  /** The parameter that asks for the next page of the list. */
  readonly nextPage: string;
  readonly told: z.ZodType<ToldBatch>;
  readonly line: z.ZodType<Line>;
  readonly pathOf: (id: string) => string;
  /** Behind the path of a batch. */
  readonly cancels: string;
  /** The mark of a batch; undefined where none can have been made yet. */
  readonly markOf: (batch: Batch) => string | null | undefined;
  /** Resolves to the id of the batch. @param onUpload - as in BatchesPort */
  readonly create: (
    batch: Batch,
    bodies: readonly unknown[],
    send: Sender,
    onUpload: (file: string) => Promise<void>,
  ) => Promise<string>;
}

export const pageSchema = z.object({
  data: z.array(z.unknown()).optional(),
  operations: z.array(z.unknown()).optional(),
  has_more: z.boolean().nullish(),
  nextPageToken: z.string().min(1).optional(),
});

/** Answers by the places of their calls. */
export async function answersOf(
  { lines = [], files }: ToldBatch,
  batch: Batch,
  send: Sender,
): Promise<ReadonlyMap<number, BatchedAnswer>> {
  const texts = await Promise.all(files.map((path) => send.text({ path })));
  const all = [...lines, ...texts.flatMap((text) => text.split('\n').map(jsonIn))];
  const { line } = batchApis[batch.address.api];
  return new Map(
    all.flatMap((value) => {
      const { entry, answer = null } = line.safeParse(value).data ?? {};
      const at = placeOfEntry(batch, entry);
      return at === undefined || answer === null ? [] : [[at, answer] as const];
    }),
  );
}

const idSchema = z.object({ id: z.string().min(1) });
const errorSchema = z.object({
  code: z.union([z.string(), z.number()]).nullish(),
  message: z.string().nullish(),
});

/** An error as the API would have sent it alone. */
function errorAnswer(
  { code = null, message = null }: z.infer<typeof errorSchema>,
  status?: number,
): BatchedAnswer {
  const body = { error: { code, message: message ?? '' } };
  return { status: status ?? lateStatus(body) ?? 500, body };
}

/** A file of requests, which a batch is made of, and files of answers. No two batches have the same file of requests. */
const openAi: BatchApi = {
  listPath: '/batches?limit=100',
  nextPage: 'after',
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
    .transform(({ id, status, created_at: at, errors, request_counts: counts, ...rest }) => {
      const { input_file_id: mark = null, output_file_id, error_file_id } = rest;
      const ids = [output_file_id, error_file_id].flatMap((file) => file ?? []);
      // The file of answers may come later than the status.
      const isAwaited = ids.length === 0 && (counts?.completed ?? 0) > 0;
      const hasEnded = /^(completed|expired|cancelled)$/.test(status) && !isAwaited;
      const base = { id, atMs: at * 1000, mark, calls: null };
      const files = ids.map((file) => `/files/${file}/content`);
      if (status !== 'failed') return { ...base, files, isOpen: !hasEnded };
      const [{ line = null, code = null, message = null } = {}] = errors?.data ?? [];
      const most = /Limit: ([\d,]+) enqueued tokens/.exec(message ?? '')?.[1];
      // What is wrong with one request may quote it to the others.
      const error = { code, message: line === null ? message : null };
      const refusal = errorAnswer(error, code === 'token_limit_exceeded' ? 429 : 400);
      const mostTokens = most === undefined ? undefined : Number(most.replaceAll(',', ''));
      return { ...base, files: [], isOpen: false, refusal, mostTokens };
    }),
  line: z
    .object({
      custom_id: z.string(),
      response: z.object({ status_code: z.int(), body: z.json() }).nullish(),
      error: errorSchema.nullish(),
    })
    .transform(({ custom_id: entry, response, error }): Line => {
      if (response) return { entry, answer: { status: response.status_code, body: response.body } };
      const isUnasked = !error || /^batch_(expired|cancelled)$/.test(String(error.code));
      return { entry, answer: isUnasked ? null : errorAnswer(error) };
    }),
  pathOf: (id) => `/batches/${id}`,
  cancels: '/cancel',
  markOf: ({ file }) => file,
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
  const lines = bodies.map((body, at) =>
    JSON.stringify({ custom_id: entryName(batch, at), method: 'POST', url, body }),
  );
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([lines.join('\n')]), `${batch.name}.jsonl`);
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? '';
  const body = new Uint8Array(await encoded.arrayBuffer());
  return (await send.json(idSchema, { path: '/files', body, type })).id;
}

const anthropicPath = '/v1/messages/batches';

/** Requests in one message. A batch has no name: the names of its calls are with its answers. */
const anthropic: BatchApi = {
  listPath: `${anthropicPath}?limit=100`,
  nextPage: 'after_id',
  told: z
    .object({
      id: z.string(),
      processing_status: z.string(),
      created_at: z.string(),
      request_counts: z.record(z.string(), z.number()),
    })
    .transform(({ id, processing_status: status, created_at: at, request_counts: counts }) => ({
      ...{ id, atMs: Date.parse(at), isOpen: status !== 'ended', mark: null },
      calls: Object.values(counts).reduce((a, b) => a + b, 0),
      files: [`${anthropicPath}/${id}/results`],
    })),
  line: z
    .object({
      custom_id: z.string(),
      result: z.object({
        type: z.string(),
        message: z.json().optional(),
        error: z.json().default(null),
      }),
    })
    .transform(({ custom_id: entry, result: { type, message, error } }): Line => {
      if (message !== undefined) return { entry, answer: { status: 200, body: message } };
      if (type !== 'errored') return { entry, answer: null };
      return { entry, answer: { status: lateStatus(error) ?? 500, body: error } };
    }),
  pathOf: (id) => `${anthropicPath}/${id}`,
  cancels: '/cancel',
  markOf: () => null,
  create: async (batch, bodies, send) => {
    const requests = bodies.map((params, at) => ({ custom_id: entryName(batch, at), params }));
    const body = JSON.stringify({ requests });
    return (await send.json(idSchema, { path: anthropicPath, body })).id;
  },
};

/** Google's numbers of errors that have another status than 500. */
const googleStatuses: Readonly<Record<string, number>> = {
  ...{ 3: 400, 5: 404, 7: 403, 8: 429, 9: 400, 11: 400, 14: 503, 16: 401 },
};

const googleAnswer = (error: z.infer<typeof errorSchema>): BatchedAnswer =>
  errorAnswer(error, googleStatuses[String(error.code)]);

const geminiName = z.object({ name: z.string().min(1) });

/** Requests in one message, and answers in what is told of the batch. One that expired has none. */
const gemini: BatchApi = {
  listPath: '/v1beta/batches?pageSize=100',
  nextPage: 'pageToken',
  told: geminiName
    .extend({
      done: z.boolean().default(false),
      metadata: z.object({ state: z.string().default(''), displayName: z.string().nullish() }),
      error: errorSchema.optional(),
      response: z
        .object({ inlinedResponses: z.object({ inlinedResponses: z.array(z.unknown()) }) })
        .optional()
        .catch(undefined),
    })
    .transform(({ name: id, done, metadata: { state, displayName }, error, response }) => ({
      ...{ id, atMs: null, mark: displayName ?? null, calls: null, files: [] },
      isOpen: !done && !/_(SUCCEEDED|FAILED|CANCELLED|EXPIRED)$/.test(state),
      lines: response?.inlinedResponses.inlinedResponses ?? [],
      refusal: state.endsWith('_FAILED') ? googleAnswer(error ?? {}) : undefined,
    })),
  line: z
    .object({
      metadata: z.object({ key: z.string() }),
      response: z.json().optional(),
      error: errorSchema.optional(),
    })
    .transform(({ metadata: { key: entry }, response: body, error }): Line => {
      if (body !== undefined) return { entry, answer: { status: 200, body } };
      return { entry, answer: error ? googleAnswer(error) : null };
    }),
  pathOf: (id) => `/v1beta/${id}`,
  cancels: ':cancel',
  markOf: ({ name }) => name,
  create: async (batch, bodies, send) => {
    const requests = bodies.map((request, at) => ({
      request,
      metadata: { key: entryName(batch, at) },
    }));
    const asked = { displayName: batch.name, inputConfig: { requests: { requests } } };
    const path = batch.address.path.replace(/:generateContent$/, ':batchGenerateContent');
    return (await send.json(geminiName, { path, body: JSON.stringify({ batch: asked }) })).name;
  },
};

export const batchApis: Readonly<Record<ModelApi, BatchApi>> = {
  ...{ chat: openAi, responses: openAi },
  ...{ anthropic, gemini },
};
