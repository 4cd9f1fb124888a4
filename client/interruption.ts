import { Interrupted } from './user-error.js';

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
