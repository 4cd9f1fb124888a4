import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  generationFile,
  generationsFolder,
  storeFolder,
} from '../../domain/stores/store-manifest.js';
import { exampleManifest } from '../support/runs/example-manifest.js';
import { checkout, newHome, systemEnvironment } from '../support/command-line.js';

/** Runs a command in a terminal of its own, and types what it is given. */
const inTerminal =
  'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

it('asks on a terminal whether to start, and leaves nothing behind where the answer is no', () => {
  const home = newHome();
  const { store } = exampleManifest();
  const generation = { name: store.name, key: 'k1', generation: 1 };
  const generations = join(home, storeFolder(store.name), generationsFolder);
  mkdirSync(generations, { recursive: true });
  writeFileSync(
    join(home, storeFolder(store.name), generationFile(generation)),
    JSON.stringify({
      ...store,
      ...generation,
      builtAt: '2026-01-01T00:00:00.000Z',
      papers: [],
      files: {},
    }),
  );
  const before = readdirSync(home);
  writeFileSync(join(home, 'questions.jsonl'), '{"uuid":"a","question":"How many?"}\n');
  const command = [process.execPath, join(checkout, 'bin/turnwise.js'), 'run', 'questions.jsonl'];
  const { status, stdout } = spawnSync(
    'python3',
    ['-c', inTerminal, ...command, '--store', store.name, '--model', 'a-model'],
    {
      cwd: home,
      env: {
        ...systemEnvironment(),
        TURNWISE_HOME: home,
        OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
      },
      input: 'n\n',
      encoding: 'utf8',
    },
  );
  expect(stdout).toMatch(/Start\? \[y\/N\].*nothing was started/s);
  expect(status).toBe(2);
  expect(readdirSync(home).filter((name) => name !== 'questions.jsonl')).toEqual(before);
});
