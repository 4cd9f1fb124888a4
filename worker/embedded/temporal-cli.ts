import { z } from 'zod';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { timeLimit } from '../adapters/time-limit.js';
import { withCacheLock } from './lock.js';
import { runCommand } from './python.js';
import { timedStep, EmbeddedFailure, type SetupContext } from './setup-context.js';

const temporalCliVersion = 'v1.5.1';
/** What Go builds it from. */
export const temporalCliModule = `github.com/temporalio/cli@${temporalCliVersion}`;
const temporalCliPackage = 'github.com/temporalio/cli/cmd/temporal';

/** A source of the Temporal command line, which contains the development server. */
export type TemporalCandidate =
  | { readonly kind: 'named'; readonly path: string }
  | { readonly kind: 'on-path'; readonly path: 'temporal' }
  | { readonly kind: 'cached'; readonly path: string }
  | { readonly kind: 'download'; readonly url: string; readonly path: string }
  | { readonly kind: 'go-install'; readonly programs: GoPrograms; readonly path: string };
type TemporalSource = TemporalCandidate['kind'];

interface Machine {
  /** TURNWISE_TEMPORAL_CLI */
  readonly named: string | undefined;
  readonly cacheFolder: string;
  readonly platform: NodeJS.Platform;
  readonly arch: NodeJS.Architecture;
}

const downloads: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'darwin' };
const architectures: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'amd64',
  arm64: 'arm64',
};

/** In the order of docs/explanation/decisions/0002. If the user names a program, it is the only candidate, even if it does not work. */
export function temporalCandidates(machine: Machine): readonly TemporalCandidate[] {
  const { named, cacheFolder, platform, arch } = machine;
  if (named !== undefined) return [{ kind: 'named', path: named }];
  const path = join(cacheFolder, `temporal-${temporalCliVersion}`, 'temporal');
  const [os, cpu] = [downloads[platform], architectures[arch]];
  const url = `https://temporal.download/cli/${temporalCliVersion}?platform=${os}&arch=${cpu}&format=tar.gz`;
  return [
    { kind: 'on-path', path: 'temporal' },
    { kind: 'cached', path },
    ...(os && cpu ? [{ kind: 'download', url, path } as const] : []),
    {
      kind: 'go-install',
      programs: { modules: [temporalCliModule], packages: [temporalCliPackage] },
      path,
    },
  ];
}

export interface TemporalCli {
  readonly path: string;
  readonly source: TemporalSource;
  readonly version: string;
}

/** The side effects of the search for the program. */
export interface TemporalSources {
  /** The version of a program that contains the development server; undefined for any other. */
  readonly probe: (path: string, signal: AbortSignal) => Promise<string | undefined>;
  /** `download` and `build` write `temporal` into `folder`, or resolve to the reason why they cannot. */
  readonly download: typeof downloadTemporal;
  readonly build: typeof goInstall;
}

const systemSources: TemporalSources = {
  probe: probeTemporal,
  download: downloadTemporal,
  build: goInstall,
};

type Attempt =
  | { readonly kind: 'found'; readonly cli: TemporalCli }
  | { readonly kind: 'refused'; readonly reason: string };

const remedy =
  'Install the Temporal command line (https://docs.temporal.io/cli) so that `temporal` is on the PATH, ' +
  'or set TURNWISE_TEMPORAL_CLI to one, or TEMPORAL_ADDRESS to a server that runs already.';

/**
 * Takes the first candidate that works. Downloads or builds it if necessary.
 * @throws EmbeddedFailure with the reason for each candidate that does not work.
 */
export async function obtainTemporalCli(
  candidates: readonly TemporalCandidate[],
  context: SetupContext,
  sources: TemporalSources = systemSources,
): Promise<TemporalCli> {
  const reasons: string[] = [];
  for (const candidate of candidates) {
    const attempt = await tryCandidate(candidate, context, sources);
    if (attempt.kind === 'found') return attempt.cli;
    reasons.push(attempt.reason);
  }
  throw new EmbeddedFailure(
    `The Temporal server could not be obtained: ${reasons.join('; ')}. ${remedy}`,
    3,
  );
}

/** The first candidate that works without an installation. */
export async function findTemporalCli(
  candidates: readonly TemporalCandidate[],
  signal: AbortSignal,
  sources: TemporalSources = systemSources,
): Promise<TemporalCli | undefined> {
  for (const candidate of candidates) {
    if (candidate.kind === 'download' || candidate.kind === 'go-install') continue;
    const version = await sources.probe(candidate.path, signal);
    if (version !== undefined) return { path: candidate.path, source: candidate.kind, version };
  }
  return undefined;
}

async function tryCandidate(
  candidate: TemporalCandidate,
  context: SetupContext,
  sources: TemporalSources,
): Promise<Attempt> {
  const { signal } = context;
  const { kind, path } = candidate;
  switch (candidate.kind) {
    case 'named':
    case 'on-path':
    case 'cached': {
      const version = await sources.probe(path, signal);
      if (version !== undefined) return { kind: 'found', cli: { path, source: kind, version } };
      return { kind: 'refused', reason: absence(candidate) };
    }
    case 'download': {
      const step = { what: 'Temporal server: downloading', expectation: '100 MB, once', conclude };
      return install(candidate, context, sources, (folder) =>
        timedStep(context, step, () => sources.download(candidate.url, folder, signal)),
      );
    }
    case 'go-install': {
      const what = 'Temporal server: building from source with Go';
      const step = { what, expectation: 'about 3 minutes, once', conclude };
      return install(candidate, context, sources, (folder) =>
        timedStep(context, step, () => sources.build(candidate.programs, folder, context)),
      );
    }
  }
}

const conclude = (reason: string | undefined): string => reason ?? 'done';

function absence({ kind, path }: TemporalCandidate): string {
  if (kind === 'named') {
    return `TURNWISE_TEMPORAL_CLI names ${path}, which is not a Temporal command line with a server`;
  }
  return kind === 'on-path' ? 'none is on the PATH' : `none is cached at ${path}`;
}

/** Installs the program into a draft folder and renames it, so that another process sees all of it or nothing. */
async function install(
  { kind, path }: TemporalCandidate,
  context: SetupContext,
  { probe }: TemporalSources,
  make: (folder: string) => Promise<string | undefined>,
): Promise<Attempt> {
  const { cacheFolder, signal } = context;
  return withCacheLock(context, 'Temporal server', async () => {
    const meanwhile = await probe(path, signal);
    if (meanwhile !== undefined) {
      return { kind: 'found', cli: { path, source: 'cached', version: meanwhile } };
    }
    const draft = await mkdtemp(join(cacheFolder, 'temporal-draft-'));
    try {
      const reason = await make(draft);
      if (reason !== undefined) return { kind: 'refused', reason };
      const version = await probe(join(draft, 'temporal'), signal);
      if (version === undefined)
        return { kind: 'refused', reason: `the one from ${kind} does not run` };
      await mkdir(dirname(path), { recursive: true });
      await rename(join(draft, 'temporal'), path);
      return { kind: 'found', cli: { path, source: kind, version } };
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  });
}

async function probeTemporal(path: string, signal: AbortSignal): Promise<string | undefined> {
  const result = await runCommand(path, ['--version'], { signal, timeoutMs: 20_000 });
  if (result.kind !== 'done') return undefined;
  return /^temporal version .*\((Server [^)]+)\)/m.exec(result.output)?.[1];
}

const answerWithinMs = 10_000;
const wholeWithinMs = 15 * 60_000;

/** The reply of Temporal's download service: the archive, and the name of the program in it. */
const downloadInfoSchema = z.object({ archiveUrl: z.url(), fileToExtract: z.string().min(1) });

/**
 * Downloads the archive that `infoUrl` describes and unpacks `temporal` into `folder`. It gives up after ten seconds without
 * a reply, which matters on a machine without a network.
 * @returns undefined, or the reason of the failure
 */
export async function downloadTemporal(
  infoUrl: string,
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const archive = join(folder, 'temporal.tar.gz');
  try {
    const info = downloadInfoSchema.parse(await (await answer(infoUrl, signal)).json());
    const response = await answer(info.archiveUrl, signal);
    if (!response.body) return 'the download was empty';
    const limit = AbortSignal.any([signal, timeLimit(wholeWithinMs)]);
    await pipeline(Readable.fromWeb(response.body), createWriteStream(archive), { signal: limit });
    const unpacked = await runCommand('tar', ['-xzf', archive, '-C', folder, info.fileToExtract], {
      signal,
    });
    if (unpacked.kind === 'done') return undefined;
    return unpacked.kind === 'missing' ? 'there is no tar to unpack it' : unpacked.output.trim();
  } catch (error) {
    signal.throwIfAborted();
    return `${new URL(infoUrl).host} ${reasonOf(error)}`;
  } finally {
    await rm(archive, { force: true });
  }
}

/** The timeout applies to the headers of the reply, not to its body. */
async function answer(url: string, signal: AbortSignal): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error('did not answer within 10 s')),
    answerWithinMs,
  );
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, late.signal]) });
    if (!response.ok) throw new Error(`answered ${response.status}`);
    return response;
  } finally {
    clearTimeout(timer);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error
    ? `cannot be reached (${error.cause.message})`
    : error.message;
}

/** Programs to be built from source. */
export interface GoPrograms {
  /** `module/path@version`; the newest version that one of them asks for is taken of everything that they need. */
  readonly modules: readonly string[];
  /** Their packages. */
  readonly packages: readonly string[];
  /** Of the build. @defaultValue none */
  readonly tags?: readonly string[];
}

/**
 * Builds programs into `folder`. What Go keeps while it builds stays there too, in a draft that the caller deletes, unless the
 * context has a place for it.
 * @returns undefined, or the reason of the failure
 */
export async function goInstall(
  { modules, packages, tags = [] }: GoPrograms,
  folder: string,
  { signal, goFolder = folder }: Pick<SetupContext, 'signal' | 'goFolder'>,
): Promise<string | undefined> {
  const required = modules.map((module) => `require ${module.replace('@', ' ')}\n`).join('');
  await writeFile(join(folder, 'go.mod'), `module programs\n\ngo 1.21\n\n${required}`);
  // By default, Go would keep 3 GB of write-protected files in the user's home.
  const own = {
    GOBIN: folder,
    GOPATH: join(goFolder, 'go'),
    GOCACHE: join(goFolder, 'go-build'),
    GOFLAGS: `${process.env['GOFLAGS'] ?? ''} -modcacherw -mod=mod`.trim(),
  };
  const result = await runCommand(
    'go',
    ['install', '-tags', tags.join(), '-ldflags', '-s -w', ...packages],
    {
      signal,
      cwd: folder,
      env: { ...process.env, ...own },
    },
  );
  switch (result.kind) {
    case 'done':
      return undefined;
    case 'missing':
      return 'Go, which could build it, is not installed';
    case 'failed':
      return `Go could not build ${modules.join(' and ')} (${result.output.trim().split('\n').at(-1) ?? ''})`;
  }
}
