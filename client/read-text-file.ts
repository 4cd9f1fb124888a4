import { readFileSync } from 'node:fs';
import { UserError } from './user-error.js';

/**
 * @param name - how it is called where it cannot be read
 * @throws UserError where it cannot be read, or is not UTF-8
 */
export function readTextFile(path: string, name = path): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(`${name} cannot be read: ${reason}`);
  }
}
