/** An embedded service or engine that cannot be had. The message is one sentence for the user, remedy included. */
export class EmbeddedFailure extends Error {
  override readonly name = 'EmbeddedFailure';

  /** @param exitStatus - 2 when settings or files are at fault, 3 when a service cannot be reached. */
  constructor(
    message: string,
    readonly exitStatus: 2 | 3,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
