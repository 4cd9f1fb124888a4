import { cutOffError } from './parse-error.js';

/**
 * What kind of fault a reply was refused for, by the frame of its message (`parse-error.ts`): `cut-off`, `parameters`,
 * `no-action`, or what could not be read, e.g. `json`.
 */
export function parseErrorKind(message: string): string {
  if (message === cutOffError) return 'cut-off';
  if (message.startsWith('Failed to parse the parameters ')) return 'parameters';
  const [, structure] = /^Failed to parse a valid (\w+)/.exec(message) ?? [];
  if (structure === undefined) return 'other';
  return structure === 'action' ? 'no-action' : structure.toLowerCase();
}
