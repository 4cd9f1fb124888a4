#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { runProgram } from './run-program.js';

// Whether what `npm pack` makes works in an empty folder, and Inspect AI's own reader opens an export: asks the example
// questions of the simulated model, exports the run and has Python compare the log with the run's files. CI runs it after the
// tests; needs a build, and the network. `fetch` only installs Inspect AI: CI does so while the tests run.

const root = fileURLToPath(new URL('..', import.meta.url));
const inspect = 'inspect-ai==0.3.285';
/** Of the files of the package. */
const mostBytes = 8e6;
/** How questions end, one each, in a copy of the run: beside those that were answered. */
const endings = [
  { kind: 'infra-error', failure: 'ModelUnavailable', message: 'no route to "host"\n' },
  { kind: 'cancelled' },
  { kind: 'budget-stop' },
  { kind: 'deadline' },
  { kind: 'turn-limit', maxTurns: 20 },
  { kind: 'context-overflow', message: 'too long' },
  { kind: 'unparseable', lastError: 'no action' },
  { kind: 'abstained' },
];
const outside = ['infra-error', 'cancelled', 'budget-stop', 'deadline'];

const onlyFetches = process.argv[2] === 'fetch';
const folder = mkdtempSync(join(tmpdir(), 'turnwise-package-'));
const home = join(folder, '.turnwise');
try {
  if (onlyFetches) await pythonWithInspect();
  else process.exitCode = await check();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (!onlyFetches) {
  console.log(
    process.exitCode === 0
      ? `check of the package: it works, and ${inspect} opens its exports`
      : 'check of the package: FAILED',
  );
}

async function check() {
  console.log(`• installing the package in an empty folder, and having ${inspect} read an export`);
  const python = await pythonWithInspect();
  const status = (await installPacked()) || (await demo());
  if (status !== 0) return status;
  loadPlugin();
  const runs = join(home, 'runs');
  const [run] = readdirSync(runs);
  endDifferently(join(runs, run), join(runs, 'endings'));
  for (const name of [run, 'endings']) {
    const out = join(home, 'exports', name);
    const failed =
      (await turnwise('export', name, '--out', out, '--format', 'inspect')) ||
      (await runProgram(
        python,
        [join(root, 'bin/check-inspect.py'), join(runs, name), join(out, `${name}.eval`)],
        { cwd: root },
      ));
    if (failed) return failed;
  }
  return 0;
}

async function installPacked() {
  const prepared = await runProgram('npm', ['run', '--silent', 'prepack'], { cwd: root });
  if (prepared !== 0) return prepared;
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename, unpackedSize }] = JSON.parse(
    execFileSync('npm', pack, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  console.log(`  ${filename}: ${(unpackedSize / 1e6).toFixed(1)} MB unpacked`);
  if (unpackedSize > mostBytes) throw new Error(`the package has more than ${mostBytes} bytes`);
  const install = ['install', '--no-fund', '--no-audit', join(folder, filename)];
  return runProgram('npm', install, { cwd: folder });
}

/** Says how long a newcomer waits for the first answer with a score. */
async function demo() {
  const begunAt = performance.now();
  const isScored = () =>
    existsSync(join(home, 'runs')) &&
    readdirSync(join(home, 'runs')).some((run) => {
      const scores = join(home, 'runs', run, 'scores.jsonl');
      return existsSync(scores) && readLines(scores).length > 0;
    });
  let scoredAfterMs = null;
  const look = setInterval(() => {
    if (scoredAfterMs === null && isScored()) scoredAfterMs = performance.now() - begunAt;
  }, 100);
  const status = await turnwise('demo');
  clearInterval(look);
  const seconds = scoredAfterMs === null ? 'no' : (scoredAfterMs / 1000).toFixed(0);
  console.log(`  the first answer had a score after ${seconds} s`);
  return status;
}

/** A module of the user's own, beside the package, which imports it. */
function loadPlugin() {
  const program = join(folder, 'node_modules/.bin/turnwise');
  cpSync(join(folder, 'node_modules/turnwise/examples/plugins'), join(folder, 'own'), {
    recursive: true,
  });
  const plugin = ['--method', 'glossary_react', '--plugin', 'own/glossary-method.ts'];
  if (!execFileSync(program, ['docs', 'plugins'], { encoding: 'utf8' }).startsWith('# ')) {
    throw new Error('the package has no documentation');
  }
  const ask = ['ask', 'What is a turn?', '--dry-run', ...plugin];
  const prompt = execFileSync(program, ask, { cwd: folder });
  if (!prompt.includes('LookUp')) throw new Error('a plugin had no effect on the prompt');
}

/** As installed, with its state beside it, and without a model of the user's. */
function turnwise(...args) {
  const env = { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' };
  return runProgram(join(folder, 'node_modules/.bin/turnwise'), args, { cwd: folder, env });
}

/** A copy of a run, still going, whose first questions ended in every other way and whose last one has not ended. */
function endDifferently(from, to) {
  cpSync(from, to, { recursive: true });
  const manifest = { ...readJson(join(to, 'manifest.json')), run: 'endings', status: 'running' };
  writeFileSync(
    join(to, 'manifest.json'),
    JSON.stringify({ ...manifest, endedAt: null, totals: null }),
  );
  const changed = new Map();
  const results = readLines(join(to, 'results.jsonl')).slice(0, -1);
  for (const [index, outcome] of endings.entries()) {
    changed.set(results[index].uuid, outcome);
    results[index] = { ...results[index], outcome, answer: null };
  }
  writeLines(join(to, 'results.jsonl'), results);
  const scores = readLines(join(to, 'scores.jsonl')).map((score) => {
    const outcome = changed.get(score.uuid);
    if (outcome === undefined) return score;
    return outside.includes(outcome.kind)
      ? { ...score, score: null, verdict: { kind: 'unscored', reason: 'outside-failure' } }
      : { ...score, score: 0, verdict: { kind: 'scored', score: 0 } };
  });
  writeLines(join(to, 'scores.jsonl'), scores);
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function readLines(path) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function writeLines(path, values) {
  writeFileSync(path, values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}

/** In a virtual environment of the cache folder, made once. It counts as made when `.complete` is in it. */
async function pythonWithInspect() {
  const { cacheFolder } = await import('../dist/worker/embedded/setup-context.js');
  const { withCacheLock } = await import('../dist/worker/embedded/lock.js');
  const { findPython } = await import('../dist/worker/embedded/python.js');
  const { signal } = new AbortController();
  const cache = cacheFolder(process.env.TURNWISE_CACHE || undefined);
  const place = join(cache, inspect.replace('==', '-'));
  const python = join(place, 'bin', 'python');
  await withCacheLock(
    { cacheFolder: cache, onStep: console.log, signal },
    'Inspect AI',
    async () => {
      if (existsSync(join(place, '.complete'))) return;
      const base = await findPython(signal);
      if (!base) throw new Error('Inspect AI needs Python 3.10 or later, and none is on the PATH');
      console.log(`  installing ${inspect} into ${place} (325 MB, about a minute, once)`);
      rmSync(place, { recursive: true, force: true });
      mkdirSync(place, { recursive: true });
      const pip = [
        '-m',
        'pip',
        'install',
        '--quiet',
        '--no-input',
        '--disable-pip-version-check',
        inspect,
      ];
      const failed =
        (await runProgram(base.command, ['-m', 'venv', place], { cwd: root })) ||
        (await runProgram(python, pip, { cwd: root }));
      if (failed) throw new Error(`${inspect} could not be installed`);
      writeFileSync(join(place, '.complete'), '');
    },
  );
  return python;
}
