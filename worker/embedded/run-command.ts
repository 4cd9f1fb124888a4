import { execFile } from 'node:child_process';

/** How a short command ended. `output` is what it said, both streams. */
export type CommandResult =
  | { readonly kind: 'done'; readonly output: string }
  | { readonly kind: 'failed'; readonly output: string }
  | { readonly kind: 'missing' };

export interface CommandOptions {
  readonly signal: AbortSignal;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
}

const longestOutputBytes = 64 * 1024 * 1024;

/** Runs a command to its end. Rejects only when `signal` is aborted. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { signal, cwd, env, timeoutMs = 0 }: CommandOptions,
): Promise<CommandResult> {
  const result = await new Promise<CommandResult>((resolve) => {
    const options = { signal, cwd, env, timeout: timeoutMs, maxBuffer: longestOutputBytes };
    execFile(command, args, options, (error, stdout, stderr) => {
      const output = stdout + stderr;
      if (!error) resolve({ kind: 'done', output });
      else if (error.code === 'ENOENT') resolve({ kind: 'missing' });
      else resolve({ kind: 'failed', output: output || error.message });
    });
  });
  signal.throwIfAborted();
  return result;
}
