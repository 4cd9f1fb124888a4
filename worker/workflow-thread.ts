import { Script, type RunningScriptInNewContextOptions } from 'node:vm';
import { getEnvironmentData, threadId } from 'node:worker_threads';
import { enteredKey, mostThreads, secondsNow } from './workflow-entries.js';

// Loaded in each workflow thread before the SDK: see `workflow-threads.ts`, which has made this.
const entered = getEnvironmentData(enteredKey) as Float64Array;
const place = threadId % mostThreads;

// eslint-disable-next-line @typescript-eslint/unbound-method -- called on the script below
const run = Script.prototype.runInContext;
Script.prototype.runInContext = function (context, options: RunningScriptInNewContextOptions = {}) {
  entered[place] = secondsNow();
  try {
    return run.call(this, context, { ...options, timeout: undefined }) as unknown;
  } finally {
    entered[place] = 0;
  }
};
