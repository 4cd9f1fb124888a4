import { runCommand } from './run-command.js';

export const pythonFloor = [3, 10] as const;

const commands = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'] as const;

export interface Python {
  readonly command: string;
  readonly version: string;
}

/** Is `version`, such as `3.11.7`, new enough for Milvus Lite? */
export function isSupportedPython(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === pythonFloor[0] && minor >= pythonFloor[1];
}

/** The first Python on the PATH that is new enough. */
export async function findPython(
  signal: AbortSignal,
  run: typeof runCommand = runCommand,
): Promise<Python | undefined> {
  for (const command of commands) {
    const result = await run(command, ['--version'], { signal, timeoutMs: 20_000 });
    if (result.kind !== 'done') continue;
    const version = /Python (\d+\.\d+\.\d+)/.exec(result.output)?.[1];
    if (version && isSupportedPython(version)) return { command, version };
  }
  return undefined;
}
