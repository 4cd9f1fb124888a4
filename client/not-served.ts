import type { RunId } from '../domain/ids.js';
import { exitStatus, UserError } from './user-error.js';

export const notServed = (run: RunId): UserError =>
  new UserError(
    `no services run, so nothing of run ${run} is under way: \`turnwise up\`, or the command that started it, goes on with it`,
    exitStatus.serviceUnreachable,
  );
