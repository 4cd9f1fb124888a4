/** What the exit status of a command means (the contract of the command line). */
export const exitStatus = {
  done: 0,
  /** Done, but some questions ended because of failures outside the model. */
  doneWithOutsideFailures: 1,
  /** `turnwise compare` reached the verdict that `--fail-if` names. */
  comparisonFailed: 1,
  /** `--fail-if` was asked for, and too little was scored to tell. */
  comparisonUndecided: 5,
  /** `turnwise store check` has found, or left, disagreements. */
  storeDisagrees: 1,
  /** `turnwise dataset check` has found faults. */
  datasetFaulty: 1,
  /** `turnwise score --separate` has found answers that match their golds by luck. */
  luckFound: 1,
  /** The user's own scorer failed for every answer. */
  scorerFailed: 1,
  /** `turnwise verify` has found a receipt that is not as it was made. */
  receiptAltered: 1,
  badInput: 2,
  serviceUnreachable: 3,
  /** The run, review, enrichment or dataset waits for a budget, for credit or for a command, and the command has ended. */
  runWaits: 4,
} as const;

/** Ends a command with its message, which names the problem and the remedy, and without a stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError';

  constructor(
    message: string,
    readonly status: (typeof exitStatus)[keyof typeof exitStatus] = exitStatus.badInput,
  ) {
    super(message);
  }
}
