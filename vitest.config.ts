import { defineConfig } from 'vitest/config';
import LongestFirst from './tests/support/vitest/longest-first.js';

/** Tests that start Temporal, Milvus or whole command lines. */
const withEngines = ['tests/end-to-end/**/*.test.ts', 'tests/worker/embedded/**/*.test.ts'];

/** Tests of code without state: their files share the modules they load, instead of loading them again for each file. */
const ofPureCode = [
  'tests/activities/**/*.test.ts',
  'tests/domain/**/*.test.ts',
  'tests/simulator/**/*.test.ts',
];

/** Only what hangs takes so long, however busy the machine is. */
const hangMs = 300_000;

export default defineConfig({
  test: {
    pool: 'forks',
    // Tests with engines wait as often as they compute: one file more than there are cores in CI.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: './tests/support/vitest/temporary-folder.ts',
    reporters: ['default', './tests/support/vitest/tally-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: ofPureCode,
          isolate: false,
          testTimeout: hangMs,
          hookTimeout: hangMs,
        },
      },
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['tests/**/*.test.ts'],
          exclude: [...withEngines, ...ofPureCode],
          testTimeout: hangMs,
          hookTimeout: hangMs,
        },
      },
      {
        extends: true,
        test: {
          name: 'engines',
          include: withEngines,
          testTimeout: 2 * hangMs,
          hookTimeout: 2 * hangMs,
        },
      },
    ],
  },
});
