import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { brotliDecompressSync } from 'node:zlib';
import * as ort from 'onnxruntime-web';

/** An opened model. */
export interface Session {
  /**
   * The vectors of some texts, one after the other.
   * @param texts - the numbers of the tokens of each
   */
  readonly run: (texts: readonly (readonly number[])[]) => Promise<Float32Array>;
}

/** Where the model is: its graph, which names the file of its weights. */
export interface ModelFiles {
  readonly graph: string;
  readonly weights: string;
}

/** Reads a line of JSON, a list of lists of token numbers, and writes their vectors, 32-bit numbers in base64. */
const pythonProgram = `
import base64, json, sys
import numpy as np
import onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
for line in sys.stdin:
    texts = json.loads(line)
    ids = np.zeros((len(texts), max(map(len, texts))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(texts):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    (vectors,) = session.run(None, {"input_ids": ids, "attention_mask": mask})
    print(base64.b64encode(vectors.astype("<f4").tobytes()).decode(), flush=True)
`;
const keptErrorChars = 2_000;

/**
 * The model in a process of Python, which ends when its input does. All cores, native code.
 * @param python - one that has `onnxruntime`
 * @throws Error with the last line of what Python has said
 */
export function nativeSession(python: string, { graph }: ModelFiles): Session {
  const child = spawn(python, ['-c', pythonProgram, graph]);
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    said = (said + text.toString()).slice(-keptErrorChars);
  });
  const ended = new Promise<never>((_, reject) => {
    const fail = (): void =>
      reject(new Error(said.trim().split('\n').at(-1) || 'its process ended'));
    child.on('error', reject).on('close', fail);
    // What is written to a process that has ended: its end is told above.
    child.stdin.on('error', () => undefined);
  });
  ended.catch(() => undefined); // Whoever waits for vectors is told.
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    run: async (texts) => {
      child.stdin.write(`${JSON.stringify(texts)}\n`);
      const line = await Promise.race([lines.next(), ended]);
      const bytes = new Uint8Array(Buffer.from(String(line.value ?? ''), 'base64'));
      return new Float32Array(bytes.buffer);
    },
  };
}

/** The model in WebAssembly, on every machine: all cores, this thread and others that the runtime starts. */
export async function webAssemblySession({ graph, weights }: ModelFiles): Promise<Session> {
  /* eslint-disable turnwise/no-patching -- these are the library's settings, and it has no other place for them */
  ort.env.wasm.wasmBinary = await runtimeBytes();
  ort.env.wasm.numThreads = availableParallelism();
  /* eslint-enable turnwise/no-patching */
  const session = await ort.InferenceSession.create(await readFile(graph), {
    executionProviders: ['wasm'],
    externalData: [{ path: basename(weights), data: await readFile(weights) }],
  });
  return {
    run: async (texts) => {
      const width = Math.max(...texts.map(({ length }) => length));
      const tensor = (valueOf: (token: number | undefined) => number): ort.Tensor =>
        new ort.Tensor(
          'int64',
          BigInt64Array.from(
            texts.flatMap((tokens) =>
              Array.from({ length: width }, (_, at) => BigInt(valueOf(tokens[at]))),
            ),
          ),
          [texts.length, width],
        );
      const { embedding } = await session.run({
        input_ids: tensor((token = 0) => token),
        attention_mask: tensor((token) => (token === undefined ? 0 : 1)),
      });
      if (!(embedding?.data instanceof Float32Array)) throw new Error('no vectors came out');
      return embedding.data;
    },
  };
}

const runtime = 'ort-wasm-simd-threaded.wasm';

/** Beside the programs of the package, compressed, with the script of its threads; in a clone both are those of the installed package. */
async function runtimeBytes(): Promise<Uint8Array> {
  const packed = await readFile(new URL(`./${runtime}.br`, import.meta.url)).catch(() => null);
  if (packed !== null) return brotliDecompressSync(packed);
  return readFile(createRequire(import.meta.url).resolve(`onnxruntime-web/${runtime}`));
}
