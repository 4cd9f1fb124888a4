import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { preview } from '../../../domain/formats/text.js';
import { readRowsSchema, type ReadRows, type RowsAsked } from '../../../domain/runs/read-rows.js';
import { storageOf } from '../../../domain/settings.js';
import { UserError } from '../../../domain/user-error.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { workerProgram } from '../../services/programs.js';

/**
 * Reads all rows of the databases of questions in a process of its own, as the prompts of `no-interaction` have them.
 * @returns one for each question
 * @throws UserError if the process fails
 */
export async function readRows(
  settings: StoreSettings,
  asked: RowsAsked,
): Promise<readonly ReadRows[]> {
  const place = [settings.TURNWISE_HOME, storageOf(settings)];
  const child = spawn(process.execPath, [workerProgram('read-rows'), ...place]);
  // A process that ends early closes the pipe; its exit says so.
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(asked));
  const [written, told, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[code: number | null]>,
  ]);
  if (code === 0) return z.array(readRowsSchema).parse(JSON.parse(written));
  throw new UserError(`the rows of the databases cannot be read: ${preview(told, 300)}`);
}
