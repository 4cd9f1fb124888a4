import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Ends the output with one line, `N passed, N failed`. With TALLY_FILE set it writes the counts there instead,
 * for set-up, which adds the checks that are not tests. A file that cannot be loaded counts as one failure.
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tally = tallyOf(modules, unhandledErrors.length);
    const { TALLY_FILE: file } = process.env;
    if (file) writeFileSync(file, JSON.stringify(tally));
    else process.stdout.write(`${tally.passed} passed, ${tally.failed} failed\n`);
  }
}

function tallyOf(modules: readonly TestModule[], unhandledErrors: number): Readonly<Tally> {
  const tally: Tally = { passed: 0, failed: unhandledErrors, skipped: 0 };
  for (const module of modules) {
    if (module.errors().length > 0) tally.failed += 1;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // A test that never ended was cut off by the end of the run.
      tally[state === 'pending' ? 'failed' : state] += 1;
    }
  }
  return tally;
}
