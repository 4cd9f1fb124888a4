import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What tests leave among the temporary files has a folder of its own, which goes when they end. */
export default function haveOwnFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-tests-'));
  // Postgres, which does not run as root, has its folder in it.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
