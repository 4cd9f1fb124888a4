import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { embedJobSchema, openModelSchema, type EmbedResult } from './job.js';
import { nativeSession, webAssemblySession, type Session } from './sessions.js';
import { createTokenizer, type Tokenizer } from './wordpiece.js';

// The entry of a thread that embeds the texts it is sent, one job at a time: the model takes the processor for seconds.

/** What the model was trained to read of a text. */
const maxTokens = 256;
/** Texts that go through the model at once. */
const batchSize = 4;

interface Opened {
  readonly session: Session;
  readonly tokenize: Tokenizer;
}

let opened: Promise<Opened> | undefined;

/** Once. After a failure, such as a lack of memory, the next job tries again. */
function opening(): Promise<Opened> {
  opened ??= open();
  return opened;
}

async function open(): Promise<Opened> {
  const { python, vocabulary, ...files } = openModelSchema.parse(workerData);
  return {
    session: python === null ? await webAssemblySession(files) : nativeSession(python, files),
    tokenize: createTokenizer(await readFile(vocabulary, 'utf8')),
  };
}

parentPort?.on('message', (message: unknown) => {
  const { texts } = embedJobSchema.parse(message);
  void embed(texts).then(
    (vectors) => parentPort?.postMessage({ kind: 'embedded', vectors } satisfies EmbedResult),
    (error: unknown) => {
      opened = undefined;
      parentPort?.postMessage({
        kind: 'failed',
        reason: error instanceof Error ? error.message : String(error),
      } satisfies EmbedResult);
    },
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
    const numbers = await session.run(batch.map(({ tokens }) => tokens));
    const size = numbers.length / batch.length;
    batch.forEach(({ index }, place) => {
      vectors[index] = Array.from(numbers.subarray(place * size, (place + 1) * size));
    });
  }
  return vectors;
}
