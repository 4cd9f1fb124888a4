import { methodNeeds } from '../domain/methods/method-needs.js';
import { methods, type MethodName } from '../domain/methods/methods.js';
import type { Environment } from '../domain/settings.js';
import { UserError } from './user-error.js';

/** Throws UserError where a method queries a graph and no program for it is set. It is the worker's setting, but seen before anything is spent only here. */
export function requireGraphProgram(method: MethodName, environment: Environment): void {
  if (environment.TURNWISE_GRAPHRAG_COMMAND !== undefined || !methodNeeds(methods[method]).graph) {
    return;
  }
  throw new UserError(
    `${method} needs a program that queries a graph of your papers: set TURNWISE_GRAPHRAG_COMMAND, for this command and for the workers (docs/methods.md says what the program is sent and answers)`,
  );
}
