import { defineConfig } from 'vitest/config';

/** Tests that start Temporal, Milvus or whole command lines: one at a time, after the quick ones. */
const withEngines = ['tests/end-to-end/**/*.test.ts', 'tests/worker/embedded/**/*.test.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    reporters: ['default', './tests/support/tally-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['tests/**/*.test.ts'],
          exclude: withEngines,
          maxWorkers: 2,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'engines',
          include: withEngines,
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
