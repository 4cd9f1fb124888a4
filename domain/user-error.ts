/** What the exit status of a command means (the contract of the command line). */
export const exitStatus = {
  done: 0,
  /** Done, with questions that ended for outside reasons. */
  doneWithOutsideFailures: 1,
  /** A comparison found what its gate is to catch. */
  gateFailed: 1,
  badInput: 2,
  serviceUnreachable: 3,
} as const;

/** Ends a command with one clear sentence, remedy included, and no stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError';

  constructor(
    message: string,
    readonly status: (typeof exitStatus)[keyof typeof exitStatus] = exitStatus.badInput,
  ) {
    super(message);
  }
}
