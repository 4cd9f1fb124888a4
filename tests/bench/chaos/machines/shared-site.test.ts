import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  commandOn,
  disksHere,
  foldersSeenBy,
  openedElsewhere,
  type Disks,
} from '../../../../bench/chaos/machines/shared-site.js';
import { endOf } from '../../../../bench/servers/local-server.js';

describe('a machine beside another one', () => {
  let folder: string;
  let secret: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnwise-disks-'));
    mkdirSync(join(folder, 'other'));
    secret = join(folder, 'other', 'home.json');
    writeFileSync(secret, '{}');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts a program that opens the other's file, says how that went, and stays. */
  async function open(disks: Disks): Promise<{ readonly pid: number; readonly said: string }> {
    const opening = `
      try { require('node:fs').openSync(process.argv[1]); console.log('opened'); }
      catch (error) { console.log(error.code); }
      setInterval(() => undefined, 1000);`;
    const home = join(folder, 'own');
    const [program, ...args] = commandOn(disks, folder, home, [
      process.execPath,
      ...['-e', opening, secret],
    ]);
    const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => endOf(child, 'SIGKILL'));
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    return { pid: child.pid ?? 0, said: said.toString().trim() };
  }

  it('cannot open its files on a disk of its own', async () => {
    const disks = disksHere(folder);
    if (disks.kind === 'watched') {
      process.stderr.write(`no mount namespaces here: ${disks.reason}\n`);
      return;
    }
    const { pid, said } = await open(disks);
    expect(said).toBe('ENOENT');
    expect(foldersSeenBy(pid, folder)).toEqual([join(folder, 'own')]);
  });

  // Other systems have no list of the files that a process has open.
  it.skipIf(!existsSync('/proc'))('is found out on a shared disk', async () => {
    const { pid, said } = await open({ kind: 'watched', reason: 'a test' });
    expect(said).toBe('opened');
    expect(openedElsewhere(pid, folder, join(folder, 'own'))).toEqual([secret]);
  });
});
