import { defineConfig } from 'vitest/config';

/** Tests that start Temporal, Milvus or whole command lines, after the quick ones. */
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
    globalSetup: './tests/support/temporary-folder.ts',
    reporters: ['default', './tests/support/tally-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: ofPureCode,
          isolate: false,
          maxWorkers: 2,
          testTimeout: hangMs,
          hookTimeout: hangMs,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['tests/**/*.test.ts'],
          exclude: [...withEngines, ...ofPureCode],
          maxWorkers: 2,
          testTimeout: hangMs,
          hookTimeout: hangMs,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'engines',
          include: withEngines,
          // Each file has services of its own, which wait as often as they compute: one more than there are cores in CI.
          maxWorkers: 3,
          testTimeout: 2 * hangMs,
          hookTimeout: 2 * hangMs,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
