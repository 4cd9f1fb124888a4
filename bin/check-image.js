#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from './run-program.js';

// Runs the steps of the Dockerfile in an empty folder, without Docker: what `.dockerignore` admits is copied, each RUN is run, and
// the CMD starts. Shows that the image has all that its build and its worker need, on this machine's Node.

const root = fileURLToPath(new URL('..', import.meta.url));
const known = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'USER', 'CMD'];
const folder = mkdtempSync(join(tmpdir(), 'turnwise-image-'));

try {
  process.exitCode = await runSteps();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  process.exitCode === 0
    ? 'check of the image: its steps work, and its worker asks for its Temporal server'
    : 'check of the image: FAILED',
);

async function runSteps() {
  const admitted = new Set(
    lines('.dockerignore').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : [])),
  );
  for (const [step, words] of lines('Dockerfile').map(parsed)) {
    if (step === 'COPY') copy(words.split(' '), admitted);
    if (step === 'RUN') {
      console.log(`• ${words}`);
      const status = await runProgram('sh', ['-c', words], { cwd: folder });
      if (status !== 0) return status;
    }
    if (step === 'CMD') return start(JSON.parse(words));
  }
  throw new Error('the Dockerfile has no CMD');
}

function lines(name) {
  const all = readFileSync(join(root, name), 'utf8').split('\n');
  return all.filter((line) => line !== '' && !line.startsWith('#'));
}

function parsed(line) {
  const [step, ...words] = line.split(' ');
  if (!known.includes(step))
    throw new Error(`the Dockerfile has a step that is not known: ${line}`);
  return [step, words.join(' ')];
}

function copy(words, admitted) {
  const target = words.pop();
  for (const path of words) {
    if (!admitted.has(path)) throw new Error(`.dockerignore keeps ${path} out`);
    const to = target.endsWith('/') ? join(folder, target, path) : join(folder, target);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(root, path), to, { recursive: true });
  }
}

/** Without settings the worker names the first that it needs; with the address of a server that is down, it names that. */
function start([command, ...args]) {
  console.log(`• ${[command, ...args].join(' ')}`);
  const down = '127.0.0.1:9';
  const cases = [
    [{}, 'TEMPORAL_ADDRESS is not set'],
    [{ TEMPORAL_ADDRESS: down, MILVUS_ADDRESS: down }, down],
  ];
  const { PATH, HOME } = process.env;
  const failed = cases.filter(([settings, expected]) => {
    const env = { PATH, HOME, TURNWISE_HOME: join(folder, 'home'), ...settings };
    const options = { cwd: folder, env, encoding: 'utf8', timeout: 120_000 };
    const { status, stderr } = spawnSync(command, args, options);
    console.log(`  exit ${status}: ${stderr.trim()}`);
    return status === 0 || !stderr.includes(expected) || /^\s+at /m.test(stderr);
  });
  return failed.length === 0 ? 0 : 1;
}
