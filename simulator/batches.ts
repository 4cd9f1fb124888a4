import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { anthropicApi } from './apis/anthropic-api.js';
import { chatApi } from './apis/openai-api.js';
import { geminiApi } from './apis/gemini-api.js';
import type { SimulatedApi } from './apis/simulated-api.js';
import type { Tally } from './call-log.js';
import { rateLimitError } from './faults.js';
import { batchHeader, invalid } from './model-endpoint.js';
import type { SimulatorOptions } from './simulator-options.js';

interface Call {
  readonly name: string;
  readonly path: string;
  readonly body: object;
  /** Absent for a call that was not made. */
  answer?: { readonly status: number; readonly body: unknown };
}

interface Batch {
  readonly id: string;
  readonly at: Date;
  /** The file or the name that it was made with. */
  readonly mark: string;
  readonly calls: readonly Call[];
  readonly cancel: AbortController;
  state: 'in_progress' | 'cancelling' | 'completed' | 'expired' | 'cancelled';
}

type Asked = Pick<Batch, 'mark' | 'calls'>;

/** The batches of an API. Where it has paths of its own they differ from `PATH` and `PATH/ID/cancel`. */
interface BatchApi {
  readonly api: SimulatedApi;
  readonly path: string;
  readonly createPath?: string;
  readonly cancelPath?: string;
  readonly schema: z.ZodType<Asked>;
  readonly list: string;
  readonly shown: (batch: Batch) => object;
}

const body = z.looseObject({});
const isOpen = ({ state }: Batch): boolean => /^(in_progress|cancelling)$/.test(state);
const isReply = ({ answer }: Call): boolean => answer?.status === 200;
const jsonLines = (values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

const openAi = (files: ReadonlyMap<string, string>): BatchApi => ({
  ...{ api: chatApi, path: '/v1/batches', list: 'data' },
  schema: z
    .object({ input_file_id: z.string(), completion_window: z.literal('24h') })
    .transform(({ input_file_id: mark }) => ({
      mark,
      calls: (files.get(mark) ?? '').split('\n').map((line) =>
        z
          .object({ custom_id: z.string(), url: z.string(), body })
          .transform(({ custom_id: name, url: path, ...rest }) => ({ name, path, ...rest }))
          .parse(JSON.parse(line)),
      ),
    })),
  shown: (batch) => ({
    id: batch.id,
    status: batch.state,
    created_at: Math.floor(batch.at.getTime() / 1000),
    input_file_id: batch.mark,
    output_file_id: isOpen(batch) ? null : `${batch.id}-output`,
    error_file_id: isOpen(batch) ? null : `${batch.id}-error`,
    request_counts: { completed: batch.calls.filter(isReply).length },
  }),
});

const openAiLine = ({ name, answer }: Call): object => ({
  custom_id: name,
  response: answer && { status_code: answer.status, body: answer.body },
  error: answer ? null : { code: 'batch_expired', message: 'It was not made in time.' },
});

const anthropic: BatchApi = {
  ...{ api: anthropicApi, path: '/v1/messages/batches', list: 'data' },
  schema: z
    .strictObject({
      requests: z.array(
        z.strictObject({ custom_id: z.string().regex(/^[\w-]{1,64}$/), params: body }),
      ),
    })
    .transform(({ requests }) => ({
      mark: '',
      calls: requests.map(({ custom_id: name, params }) => ({
        ...{ name, path: '/v1/messages', body: params },
      })),
    })),
  shown: (batch) => ({
    id: batch.id,
    processing_status: isOpen(batch) ? 'in_progress' : 'ended',
    created_at: batch.at.toISOString(),
    request_counts: isOpen(batch)
      ? { processing: batch.calls.length, succeeded: 0 }
      : {
          succeeded: batch.calls.filter(isReply).length,
          errored: batch.calls.filter((call) => !isReply(call)).length,
        },
  }),
};

const anthropicLine = ({ name, answer }: Call): object => ({
  custom_id: name,
  result:
    answer === undefined
      ? { type: 'expired' }
      : answer.status === 200
        ? { type: 'succeeded', message: answer.body }
        : { type: 'errored', error: answer.body },
});

const gemini: BatchApi = {
  ...{ api: geminiApi, path: '/v1beta/batches', list: 'operations' },
  createPath: '/v1beta/models/:call{.+:batchGenerateContent}',
  cancelPath: '/v1beta/batches/:id{.+:cancel}',
  schema: z
    .object({
      batch: z.strictObject({
        displayName: z.string(),
        inputConfig: z.strictObject({
          requests: z.strictObject({
            requests: z.array(
              z.strictObject({ request: body, metadata: z.object({ key: z.string() }) }),
            ),
          }),
        }),
      }),
    })
    .transform(({ batch: { displayName: mark, inputConfig } }) => ({
      mark,
      calls: inputConfig.requests.requests.map(({ request, metadata: { key: name } }) => ({
        // The simulated model is the same one under every name.
        ...{ name, path: '/v1beta/models/simulated-model:generateContent', body: request },
      })),
    })),
  shown: (batch) => ({
    name: `batches/${batch.id}`,
    metadata: { displayName: batch.mark, state: `BATCH_STATE_${geminiStates[batch.state]}` },
    done: !isOpen(batch),
    ...(batch.state === 'completed' && {
      response: { inlinedResponses: { inlinedResponses: batch.calls.map(geminiLine) } },
    }),
  }),
};

const geminiStates: Readonly<Record<Batch['state'], string>> = {
  ...{ in_progress: 'RUNNING', cancelling: 'RUNNING', completed: 'SUCCEEDED' },
  ...{ expired: 'EXPIRED', cancelled: 'CANCELLED' },
};

const geminiLine = (call: Call): object => ({
  metadata: { key: call.name },
  ...(isReply(call)
    ? { response: call.answer?.body }
    : { error: { code: 13, message: 'A simulated error.' } }),
});

/** The batches of all APIs. Each makes its calls of the endpoints beside it, a while after it was made. */
export function addBatches(
  app: Hono<{ Bindings: HttpBindings }>,
  { batchMs, refusedBatches, expiringBatches }: SimulatorOptions,
  tally: Tally,
): void {
  const batches: Batch[] = [];
  const files = new Map<string, string>();
  let refused = 0;

  async function work(batch: Batch, most: number): Promise<void> {
    const { signal } = batch.cancel;
    await sleep(batchMs, undefined, { ref: false, signal }).catch(() => undefined);
    const made = batch.calls.slice(0, most);
    for (const call of made) {
      if (batch.state === 'cancelling') break;
      const headers = { 'content-type': 'application/json', [batchHeader]: 'yes' };
      const sent = { method: 'POST', headers, body: JSON.stringify(call.body) };
      const reply = await app.request(call.path, sent);
      call.answer = { status: reply.status, body: await reply.json() };
    }
    const end = made.length < batch.calls.length ? 'expired' : 'completed';
    batch.state = batch.state === 'cancelling' ? 'cancelled' : end;
  }

  const find = (context: Context): Batch | undefined =>
    batches.find(({ id }) => id === context.req.param('id')?.replace(/(:cancel|-\w+)$/, ''));

  for (const each of [openAi(files), anthropic, gemini]) {
    const { api, path, createPath = path, cancelPath = `${path}/:id/cancel`, shown } = each;
    const withBatch = (answer: (batch: Batch) => object) => (context: Context) => {
      const batch = find(context);
      const missing = { status: 404, message: 'No such batch.', type: 'not_found', code: null };
      return batch ? context.json(answer(batch)) : context.json(api.error(missing), 404);
    };
    app.post(createPath, async (context) => {
      const asked = each.schema.safeParse(await context.req.json().catch(() => undefined));
      if (!asked.success) return context.json(api.error(invalid(asked.error)), 400);
      if (refused++ < refusedBatches)
        return context.json(api.error(rateLimitError('tokens', undefined)), 429);
      const number = batches.length + 1;
      const id = `batch_${number}`;
      const made = { id, at: new Date(), cancel: new AbortController() };
      const batch: Batch = { ...made, ...asked.data, state: 'in_progress' };
      batches.unshift(batch);
      tally.batchMade();
      // Gemini makes nothing of a batch that expires.
      const half = api === geminiApi ? 0 : Math.floor(batch.calls.length / 2);
      void work(batch, number <= expiringBatches ? half : Infinity);
      return context.json(shown(batch));
    });
    app.post(
      cancelPath,
      withBatch((batch) => {
        if (isOpen(batch)) batch.state = 'cancelling';
        batch.cancel.abort();
        return shown(batch);
      }),
    );
    app.get(path, (context) => context.json({ [each.list]: batches.map(shown) }));
    app.get(`${path}/:id`, withBatch(shown));
  }
  app.post('/v1/files', async (context) => {
    const { file } = await context.req.parseBody();
    const id = `file_${files.size + 1}`;
    files.set(id, file instanceof File ? await file.text() : '');
    return context.json({ id });
  });
  app.get('/v1/files/:id/content', (context) => {
    const isWanted = (call: Call): boolean =>
      isReply(call) === context.req.param('id').endsWith('-output');
    return context.text(jsonLines((find(context)?.calls ?? []).filter(isWanted).map(openAiLine)));
  });
  app.get('/v1/messages/batches/:id/results', (context) =>
    context.text(jsonLines((find(context)?.calls ?? []).map(anthropicLine))),
  );
}
