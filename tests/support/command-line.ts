import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../bench/services/eventually.js';

export { eventually };

export const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** A TURNWISE_HOME of its own, so that tests do not meet each other's services. */
export const newHome = (): string => mkdtempSync(join(tmpdir(), 'turnwise-home-'));

export interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** What it has written so far. */
  readonly output: () => string;
  /** Waits until it has written this, and returns it. Rejects with all it has written if it ends without it. */
  readonly says: (pattern: RegExp) => Promise<string>;
}

/**
 * Starts `turnwise` as a user would, as a process of its own, with none of this process's settings but `settings`.
 * @param cwd - the folder it is called in; TURNWISE_HOME where it is left out.
 */
export function turnwise(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  cwd?: string,
): Running {
  return program([join(checkout, 'bin/turnwise.js'), ...args], settings, cwd);
}

/** Starts a program of Node in the same way, without the command around it: signals reach the process that does the work. */
export function program(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  cwd = settings['TURNWISE_HOME'] ?? tmpdir(),
): Running {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...systemEnvironment(), TURNWISE_EMBEDDER: 'hashing', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let hasEnded = false;
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (status) => {
      hasEnded = true;
      resolve({ status, stdout, stderr });
    });
  });
  const output = (): string => stdout + stderr;
  const says = (pattern: RegExp): Promise<string> =>
    eventually(() => {
      const [said] = pattern.exec(output()) ?? [];
      if (said === undefined && hasEnded) {
        throw new Error(`ended without saying ${String(pattern)}:\n${output()}`);
      }
      return said;
    });
  return { child, finished, output, says };
}

/** Waits until `turnwise up` has all services running. */
export async function untilReady(up: Running): Promise<void> {
  await up.says(/Ctrl-C stops them/);
}

/** The parts of the environment that a new user's machine has too. */
export function systemEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && !/^(OPENAI|ANTHROPIC|GEMINI|TURNWISE|TEMPORAL|MILVUS)_/.test(name)
        ? [[name, value]]
        : [],
    ),
  );
}

/** Lines of a JSONL file that are whole. */
export function jsonLines(path: string): readonly unknown[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}
