import { writeFileSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  /** A line for each failure: its file, its name and the first line of its message. */
  failures: string[];
}

/**
 * Ends the output with a line for each failure and one line `N passed, N failed`. With TALLY_FILE set it writes them there
 * instead, for set-up, which adds the checks that are not tests. A file that cannot be loaded counts as one failure.
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const tally = tallyOf(modules, unhandledErrors);
    const { TALLY_FILE: file } = process.env;
    if (file) {
      writeFileSync(file, JSON.stringify(tally));
      return;
    }
    for (const failure of tally.failures) process.stdout.write(`failed: ${failure}\n`);
    process.stdout.write(`${tally.passed} passed, ${tally.failed} failed\n`);
  }
}

function tallyOf(
  modules: readonly TestModule[],
  unhandledErrors: readonly SerializedError[],
): Readonly<Tally> {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0, failures: [] };
  for (const error of unhandledErrors) addFailure(tally, 'outside of any test', error);
  for (const module of modules) {
    const [loadError] = module.errors();
    if (loadError) addFailure(tally, module.relativeModuleId, loadError);
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result();
      // A test that never ended was cut off by the end of the run.
      if (state === 'passed' || state === 'skipped') tally[state] += 1;
      else addFailure(tally, `${module.relativeModuleId} > ${test.fullName}`, errors?.[0]);
    }
  }
  return tally;
}

function addFailure(tally: Tally, where: string, error: SerializedError | undefined): void {
  const [message = 'it did not end'] = error?.message.split('\n') ?? [];
  tally.failed += 1;
  tally.failures.push(`${where}: ${message}`);
}
