import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import * as ort from 'onnxruntime-web/wasm';
import { embedJobSchema, openFilesSchema, type EmbedResult } from './job.js';
import { createTokenizer, type Tokenizer } from './wordpiece.js';

// The entry of a thread that embeds the texts it is sent, one job at a time: the model takes the processor for seconds.

/** What the model was trained to read of a text. */
const maxTokens = 256;
/** Texts that go through the model at once. */
const batchSize = 8;

interface Opened {
  readonly session: ort.InferenceSession;
  readonly tokenize: Tokenizer;
}

let opened: Promise<Opened> | undefined;

/** Once. After a failure, such as a lack of memory, the next job tries again. */
function opening(): Promise<Opened> {
  opened ??= open().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function open(): Promise<Opened> {
  const files = openFilesSchema.parse(workerData);
  /* eslint-disable turnwise/no-patching -- these are the library's settings, and it has no other place for them */
  ort.env.wasm.wasmBinary = await readFile(files.runtime);
  ort.env.wasm.numThreads = 1;
  /* eslint-enable turnwise/no-patching */
  const session = await ort.InferenceSession.create(await readFile(files.model), {
    executionProviders: ['wasm'],
  });
  return { session, tokenize: createTokenizer(await readFile(files.vocabulary, 'utf8')) };
}

parentPort?.on('message', (message: unknown) => {
  const { texts } = embedJobSchema.parse(message);
  void embed(texts).then(
    (vectors) => parentPort?.postMessage({ kind: 'embedded', vectors } satisfies EmbedResult),
    (error: unknown) =>
      parentPort?.postMessage({
        kind: 'failed',
        reason: error instanceof Error ? error.message : String(error),
      } satisfies EmbedResult),
  );
});

async function embed(texts: readonly string[]): Promise<readonly (readonly number[])[]> {
  const { session, tokenize } = await opening();
  // Texts of one length need no filling.
  const order = texts
    .map((text, index) => ({ index, tokens: tokenize(text, maxTokens) }))
    .sort((a, b) => a.tokens.length - b.tokens.length);
  const vectors = new Array<readonly number[]>(texts.length);
  for (let start = 0; start < order.length; start += batchSize) {
    const batch = order.slice(start, start + batchSize);
    const made = await meansOf(
      session,
      batch.map(({ tokens }) => tokens),
    );
    batch.forEach(({ index }, place) => (vectors[index] = made[place] ?? []));
  }
  return vectors;
}

/** The mean of the vectors of all tokens of each text, of length 1. */
async function meansOf(
  session: ort.InferenceSession,
  batch: readonly (readonly number[])[],
): Promise<readonly (readonly number[])[]> {
  const width = Math.max(...batch.map(({ length }) => length));
  const tensor = (valueAt: (tokens: readonly number[], at: number) => number): ort.Tensor =>
    new ort.Tensor(
      'int64',
      BigInt64Array.from(
        batch.flatMap((tokens) =>
          Array.from({ length: width }, (_, at) => BigInt(valueAt(tokens, at))),
        ),
      ),
      [batch.length, width],
    );
  const outputs = await session.run({
    input_ids: tensor((tokens, at) => tokens[at] ?? 0),
    attention_mask: tensor((tokens, at) => (at < tokens.length ? 1 : 0)),
    token_type_ids: tensor(() => 0),
  });
  const [name = ''] = session.outputNames;
  const output = outputs[name];
  if (!output || !(output.data instanceof Float32Array)) throw new Error('no vectors came out');
  const { data } = output;
  const size = output.dims.at(-1) ?? 0;
  return batch.map((tokens, row) => {
    const mean = Array.from({ length: size }, (_, dimension) =>
      tokens.reduce(
        (sum, _token, at) => sum + (data[(row * width + at) * size + dimension] ?? 0),
        0,
      ),
    );
    const length = Math.hypot(...mean);
    return mean.map((value) => value / length);
  });
}
