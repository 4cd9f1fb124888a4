#!/usr/bin/env node
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { runProgram } from './run-program.js';
import { buildIsCurrent, packagesAreCurrent, stampPackages } from './stamps.js';

// From a fresh clone to a running program or a finished test, with nothing but Node: `npm start` and `npm test`.

const root = fileURLToPath(new URL('..', import.meta.url));
const [command = '', ...given] = process.argv.slice(2);
/** An option of the test command. */
const withoutPostgres = command === 'test' && given.includes('--without-postgres');
const args = withoutPostgres ? given.filter((arg) => arg !== '--without-postgres') : given;
const commands = { start, test, bench, chaos, install, build: prepare };
const interrupted = 130;

process.exitCode =
  command in commands
    ? await commands[command]()
    : fail('Say what to do: node bin/setup.js start | test | bench | chaos | install | build');

async function start() {
  const status = await prepare();
  if (status !== 0) return status;
  return runProgram(process.execPath, ['bin/turnwise.js', 'demo', ...args], { cwd: root });
}

function bench() {
  return measure(args);
}

/** `npm run chaos`, or with a name in front of the options `npm run chaos -- machines`. */
function chaos() {
  const [first, ...rest] = args;
  const isNamed = first !== undefined && !first.startsWith('-');
  return measure(isNamed ? [`chaos-${first}`, ...rest] : ['chaos', ...args]);
}

async function measure(wanted) {
  const status = await install();
  if (status !== 0) return status;
  return runProgram(process.execPath, ['dist/bench/main.js', ...wanted], { cwd: root });
}

async function install() {
  return (await prepare()) || fetchEngines();
}

/** Every check is made even when one fails; the last line always counts. With arguments, only the tests they select. */
async function test() {
  const prepared = await prepare();
  if (prepared !== 0) return tellTally({ passed: 0, failed: 0 }, ['set-up']);
  const names = args.length > 0 ? [] : ['lint', 'types', 'format', 'structure', 'spell'];
  const failedSteps = await twoAtATime([['engines', fetchForTests], ...names.map(npmCheck)]);
  if (failedSteps === interrupted) return interrupted;
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-tally-'));
  try {
    const tallyFile = join(folder, 'tally.json');
    if (withoutPostgres) console.log('• leaving out the tests over Postgres (--without-postgres)');
    const env = {
      TALLY_FILE: tallyFile,
      TURNWISE_TESTS_WITHOUT_POSTGRES: withoutPostgres ? '1' : '',
    };
    const status = await npmRun('unit', env)();
    const tally = existsSync(tallyFile)
      ? JSON.parse(readFileSync(tallyFile, 'utf8'))
      : { passed: 0, failed: 0 };
    if (status !== 0 && tally.failed === 0) failedSteps.push('unit');
    return tellTally(tally, failedSteps);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function npmCheck(name) {
  return [name, npmRun(name)];
}

/** Makes all checks even when one fails, the longest first. Resolves to the names of those that failed, or to `interrupted`. */
async function twoAtATime(checks) {
  const failed = [];
  let isInterrupted = false;
  const waiting = checks.values();
  const lane = async () => {
    for (const [name, check] of waiting) {
      const status = await check();
      if (status === interrupted) isInterrupted = true;
      else if (status !== 0) failed.push(name);
      if (isInterrupted) return;
    }
  };
  await Promise.all([lane(), lane()]);
  return isInterrupted ? interrupted : failed;
}

function tellTally({ passed, failed, skipped = 0, failures = [] }, failedSteps) {
  for (const failure of failures) console.log(`failed: ${failure}`);
  if (skipped > 0) console.log(`${skipped} skipped`);
  if (failedSteps.length > 0) console.log(`failed besides tests: ${failedSteps.join(', ')}`);
  console.log(`${passed} passed, ${failed + failedSteps.length} failed`);
  return failed + failedSteps.length === 0 ? 0 : 1;
}

async function prepare() {
  return (
    checkNode() ||
    checkPlatform() ||
    (packagesAreCurrent(root) ? 0 : await installPackages()) ||
    (buildIsCurrent(root) ? 0 : await build())
  );
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return 0;
  return fail(
    `turnwise needs Node 20.19 or later and this is ${process.versions.node}: install one from https://nodejs.org or with your version manager.`,
  );
}

function checkPlatform() {
  if (process.platform === 'linux' || process.platform === 'darwin') return 0;
  return fail(
    `turnwise runs on Linux and macOS, not on ${process.platform}: on Windows, use WSL (https://learn.microsoft.com/windows/wsl/install).`,
  );
}

async function installPackages() {
  const status = await timed('installing packages with npm ci (about a minute)', () =>
    runProgram('npm', ['ci', '--no-fund', '--no-audit'], { cwd: root }),
  );
  if (status === 0) stampPackages(root);
  return status;
}

function build() {
  return timed('building (about half a minute)', npmRun('build'));
}

function fetchEngines(program = 'dist/worker/fetch-engines.js', also = []) {
  return timed('looking for the engines, Temporal and Milvus Lite (the first time: minutes)', () =>
    runProgram(process.execPath, [program, ...also], { cwd: root }),
  );
}

/** A test that is asked for by name starts servers of its own only if it needs them. */
function fetchForTests() {
  if (args.length > 0) return fetchEngines();
  const also = withoutPostgres ? ['--without-postgres'] : [];
  return fetchEngines('dist/bench/servers/fetch-servers.js', also);
}

/** The arguments of the test command go to the tests alone. */
function npmRun(script, env = {}) {
  const forwarded = script === 'unit' && args.length > 0 ? ['--', ...args] : [];
  return () => runProgram('npm', ['run', '--silent', script, ...forwarded], { cwd: root, env });
}

async function timed(what, action) {
  console.log(`• ${what}`);
  const begun = performance.now();
  const status = await action();
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(status === 0 ? `  done in ${seconds} s` : `  failed after ${seconds} s`);
  return status;
}

function fail(sentence) {
  console.error(sentence);
  return 2;
}
