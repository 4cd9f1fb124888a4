import type { InvalidPython } from '../../formats/python/literal.js';
import type { ActionName } from './action.js';

// The frames and the last message are the reference's (hybrid-agent.md §2.3, §3.2); the reasons are our own and never vary between runs.

export const parameterError = (name: ActionName, reason: string): string =>
  `Failed to parse the parameters for action ${name} from the response. ${reason}.`;

/** `structure`: what could not be read, e.g. `JSON dict`. */
export const structureError = (structure: string, reason: string): string =>
  `Failed to parse a valid ${structure} from the response. ${reason}.`;

export const noActionError = (names: readonly ActionName[], reason?: string): string =>
  'Failed to parse a valid action from the response. ' +
  (reason === undefined ? '' : `${reason}. `) +
  `Please check the specification for these actions [${names.map((name) => `'${name}'`).join(', ')}].`;

/** The whole token allowance went into the model's reasoning. */
export const cutOffError =
  'The token limit cut the reply off before any of it was written. Reason more briefly, and write the reply.';

/** What is wrong with a Python text, and where. */
export function describeInvalid({ reason, offset }: InvalidPython, text: string): string {
  const place = Array.from(text.slice(offset, offset + 40))
    .slice(0, 20)
    .join('');
  return place === '' ? reason : `${reason}, at ${JSON.stringify(place)}`;
}

export const positiveIntegerError = (parameter: string): string =>
  `Value of parameter \`${parameter}\` should be a positive integer.`;

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
