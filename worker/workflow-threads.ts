import { createRequire } from 'node:module';
import { setEnvironmentData, type Worker } from 'node:worker_threads';
import { enteredKey, mostThreads, secondsNow } from './workflow-entries.js';

/**
 * Lets the SDK's workflow threads enter workflows without a time limit, and watches over them from here; to be called before a
 * worker is made. For each limit Node starts a thread and ends it again, a dozen times a turn (docs/decisions/0013). Workflows only schedule, in milliseconds: one that never comes back is a fault of ours.
 */
export function watchWorkflowThreads({
  thread = new URL('./workflow-thread.js', import.meta.url),
  mostSeconds = 30,
  lookEveryMs = 5_000,
}: {
  /** What each thread loads; beside this module unless that runs uncompiled. */
  readonly thread?: URL;
  /** Of one entry. The SDK's limit is 5 s and fails the step; this one ends the worker, and allows for a machine with other work. @defaultValue 30 */
  readonly mostSeconds?: number;
  /** @defaultValue 5_000 */
  readonly lookEveryMs?: number;
} = {}): void {
  const entered = new Float64Array(
    new SharedArrayBuffer(mostThreads * Float64Array.BYTES_PER_ELEMENT),
  );
  setEnvironmentData(enteredKey, entered);
  loadInThreads(thread);
  setInterval(() => {
    if (!entered.some((since) => since > 0 && secondsNow() - since > mostSeconds)) return;
    process.stderr.write(
      `A workflow has computed for ${mostSeconds} s without an end: the worker is ended.\n`,
    );
    // Nothing else is sure to end a thread that does not come back.
    process.kill(process.pid, 'SIGKILL');
  }, lookEveryMs).unref();
}

/** The SDK makes its threads by what `require` gives, and has no option for what they load. */
function loadInThreads(module: URL): void {
  const threads = createRequire(import.meta.url)('node:worker_threads') as {
    Worker: typeof Worker;
  };
  threads.Worker = class extends threads.Worker {
    constructor(...[file, options]: ConstructorParameters<typeof Worker>) {
      super(file, { ...options, execArgv: ['--import', module.href] });
    }
  };
}
