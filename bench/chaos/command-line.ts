import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../client/services/versions.js';

export interface Command {
  readonly child: ChildProcess;
  /** Its exit status; null where it was killed. */
  readonly ended: Promise<number | null>;
  /** The last it has said, for people who look for a reason. */
  readonly lastWords: () => string;
}

/** `turnwise` as a process of its own, in a process group of its own, which a kill of `-pid` ends with all that it has started. */
export function turnwise(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Command {
  const child = spawn(process.execPath, [join(packageRoot, 'bin/turnwise.js'), ...args], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  const listen = (data: Buffer): void => {
    said = (said + data.toString()).slice(-4000);
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (status) => resolve(status));
  });
  return { child, ended, lastWords: () => said };
}
