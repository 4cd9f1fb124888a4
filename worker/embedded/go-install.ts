import { join } from 'node:path';
import { runCommand } from './python.js';

/**
 * Builds the programs of `modules` (`module/path@version`) into `folder`. What Go keeps while it builds stays in `folder`
 * too, which is a draft that the caller deletes.
 * @returns undefined, or the reason of the failure
 */
export async function goInstall(
  modules: readonly string[],
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  // By default, Go would keep 3 GB of write-protected files in the user's home.
  const own = {
    GOBIN: folder,
    GOPATH: join(folder, 'go'),
    GOCACHE: join(folder, 'go-build'),
    GOFLAGS: `${process.env['GOFLAGS'] ?? ''} -modcacherw`.trim(),
  };
  const result = await runCommand('go', ['install', '-ldflags', '-s -w', ...modules], {
    signal,
    cwd: folder,
    env: { ...process.env, ...own },
  });
  switch (result.kind) {
    case 'done':
      return undefined;
    case 'missing':
      return 'Go, which could build it, is not installed';
    case 'failed':
      return `Go could not build ${modules.join(' and ')} (${result.output.trim().split('\n').at(-1) ?? ''})`;
  }
}
