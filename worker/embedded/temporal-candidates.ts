import { join } from 'node:path';

export const temporalCliVersion = 'v1.5.1';

/** A place the Temporal command line, which holds the development server, may come from. */
export type TemporalCandidate =
  | { readonly kind: 'named'; readonly path: string }
  | { readonly kind: 'on-path'; readonly path: 'temporal' }
  | { readonly kind: 'cached'; readonly path: string }
  | { readonly kind: 'download'; readonly url: string; readonly path: string }
  | { readonly kind: 'go-install'; readonly module: string; readonly path: string };
export type TemporalSource = TemporalCandidate['kind'];

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

/** The order of docs/decisions/0002. One that the user named stands alone: a wrong one is told, not replaced. */
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
      module: `github.com/temporalio/cli/cmd/temporal@${temporalCliVersion}`,
      path,
    },
  ];
}
