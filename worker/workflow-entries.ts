/** Of what the threads of a worker share: a number for each thread, when it entered a workflow; 0 outside of one. */
export const enteredKey = 'turnwise: entered workflows';
export const mostThreads = 64;

/** Of a clock that never jumps, the same in all threads. */
export function secondsNow(): number {
  const [seconds] = process.hrtime();
  return seconds;
}
