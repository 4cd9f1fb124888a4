import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './python.js';
import type { SetupContext } from './setup-context.js';

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
