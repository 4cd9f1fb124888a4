import { readFile } from 'node:fs/promises';
import { jsonIn } from '../domain/json-in.js';

/** The JSON in a file; `undefined` where there is no file, or none with JSON in it. */
export async function readJsonFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    // What node:fs throws.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  return jsonIn(text);
}
