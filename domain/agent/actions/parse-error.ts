import type { InvalidPython } from '../../formats/python/literal.js';
import type { OddReply } from '../turn-record.js';
import type { ActionSpec } from './action.js';

// The fixed parts of these messages and `positiveIntegerError` have the wording of the reference system. The reasons are
// ours; they are the same in every run.

export const parameterError = (name: string, reason: string): string =>
  `Failed to parse the parameters for action ${name} from the response. ${reason}.`;

/** @param structure - what could not be parsed, e.g. `JSON dict` */
export const structureError = (structure: string, reason: string): string =>
  `Failed to parse a valid ${structure} from the response. ${reason}.`;

export const noActionError = (
  actions: readonly Pick<ActionSpec, 'name'>[],
  reason?: string,
): string =>
  'Failed to parse a valid action from the response. ' +
  (reason === undefined ? '' : `${reason}. `) +
  `Please check the specification for these actions [${actions.map(({ name }) => `'${name}'`).join(', ')}].`;

/** For a reply that is empty because reasoning used up the token limit. */
export const cutOffError =
  'The token limit cut the reply off before any of it was written. Reason more briefly, and write the reply.';

/** What the model is told of a reply with nothing in it. */
export const oddReplyErrors: Readonly<Record<OddReply, string>> = {
  'cut-off': cutOffError,
  empty: 'The reply was empty. Write the reply.',
  error: 'The reply broke off with an error of the provider. Write it again.',
  filtered: "The provider's content filter removed the reply. Write another one.",
  refused: 'The reply declined to go on.',
};

const unfitAnswer = 'The answer cannot be scored: ';

/** For an answer that could not be right whatever it says. @param form - that it would need */
export const answerFormError = (form: string): string =>
  `${unfitAnswer}it cannot be read as ${form}. Give it again in the form that the answer format asks for. The next answer is taken as it is.`;

/** The reason why a Python text is invalid, with the text at that place. */
export function describeInvalid({ reason, offset }: InvalidPython, text: string): string {
  const place = Array.from(text.slice(offset, offset + 40))
    .slice(0, 20)
    .join('');
  return place === '' ? reason : `${reason}, at ${JSON.stringify(place)}`;
}

export const positiveIntegerError = (parameter: string): string =>
  `Value of parameter \`${parameter}\` should be a positive integer.`;

/**
 * The kind of a parse error, found by the fixed part of its message: `cut-off`, `parameters`, `no-action`, `answer-form`, or the structure
 * that could not be parsed, e.g. `json`.
 */
export function parseErrorKind(message: string): string {
  const odd = Object.entries(oddReplyErrors).find(([, text]) => text === message);
  if (odd !== undefined) return odd[0];
  if (message.startsWith('Failed to parse the parameters ')) return 'parameters';
  if (message.startsWith(unfitAnswer)) return 'answer-form';
  const [, structure] = /^Failed to parse a valid (\w+)/.exec(message) ?? [];
  if (structure === undefined) return 'other';
  return structure === 'action' ? 'no-action' : structure.toLowerCase();
}
