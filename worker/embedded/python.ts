import { execFile } from 'node:child_process';

const pythonFloor = [3, 10] as const;

const commands = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'] as const;

export interface Python {
  readonly command: string;
  readonly version: string;
}

/** Whether `version`, such as `3.11.7`, is new enough for Milvus Lite. */
function isSupportedPython(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === pythonFloor[0] && minor >= pythonFloor[1];
}

/** The first Python on the PATH that is new enough. */
export async function findPython(signal: AbortSignal): Promise<Python | undefined> {
  for (const command of commands) {
    const result = await runCommand(command, ['--version'], { signal, timeoutMs: 20_000 });
    if (result.kind !== 'done') continue;
    const version = /Python (\d+\.\d+\.\d+)/.exec(result.output)?.[1];
    if (version && isSupportedPython(version)) return { command, version };
  }
  return undefined;
}

/** How a command ended. `output` is its stdout and stderr. */
type CommandResult =
  | { readonly kind: 'done'; readonly output: string }
  | { readonly kind: 'failed'; readonly output: string }
  | { readonly kind: 'missing' };

interface CommandOptions {
  readonly signal: AbortSignal;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  /** Of the user who runs it. Only root can name another. */
  readonly uid?: number;
  readonly gid?: number;
}

const longestOutputBytes = 64 * 1024 * 1024;

/** Runs a command to its end. Rejects only if `signal` aborts. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { timeoutMs = 0, ...rest }: CommandOptions,
): Promise<CommandResult> {
  const result = await new Promise<CommandResult>((resolve) => {
    const options = { ...rest, timeout: timeoutMs, maxBuffer: longestOutputBytes };
    execFile(command, args, options, (error, stdout, stderr) => {
      const output = stdout + stderr;
      if (!error) resolve({ kind: 'done', output });
      else if (error.code === 'ENOENT') resolve({ kind: 'missing' });
      else resolve({ kind: 'failed', output: output || error.message });
    });
  });
  rest.signal.throwIfAborted();
  return result;
}
