import { createInterface } from 'node:readline';

/** Stands behind what could not be priced. */
export const priceRemedy = '(`prices:` in turnwise.yaml says what the model costs)';

/** The command was told to end. What it had begun is kept. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** As shells have it: 128 and the signal's number. */
  readonly status: number;

  constructor(
    private readonly signal: NodeJS.Signals,
    message = 'stopped before the services were ready; nothing has begun',
  ) {
    super(message);
    this.status = signal === 'SIGTERM' ? 143 : 130;
  }

  with(message: string): Interrupted {
    return new Interrupted(this.signal, message);
  }
}

/** npx and npm pass on the Ctrl-C that the terminal has sent already: the echo is not a second wish. */
const echoWithinMs = 500;

/**
 * Rejects with an `Interrupted` at Ctrl-C or SIGTERM. A second one ends this process at once; a supervisor
 * that was started from here notices, and stops its services by itself.
 */
export function interruption(): Promise<never> {
  const interrupted = new Promise<never>((_, reject) => {
    let firstAt: number | null = null;
    const onSignal = (signal: NodeJS.Signals): void => {
      const error = new Interrupted(signal);
      reject(error);
      firstAt ??= performance.now();
      if (performance.now() - firstAt > echoWithinMs) process.exit(error.status);
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  });
  // It may come while nobody waits for it: then there is nothing left to interrupt.
  interrupted.catch(() => undefined);
  return interrupted;
}

/** Asks on the terminal. Anything but a yes is a no, and so is the end of the input. */
export async function isYes(
  question: string,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<boolean> {
  // The terminal edits the line and sends Ctrl-C as a signal; readline would keep both to itself.
  const lines = createInterface({ input, terminal: false });
  output.write(`${question} [y/N] `);
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
    output.write('\n');
    return false;
  } finally {
    lines.close();
  }
}
