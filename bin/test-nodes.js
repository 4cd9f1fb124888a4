#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { runProgram } from './run-program.js';

// Runs `npm start` and the tests without engines on each of several versions of Node, in a clone of what is committed. npm has every
// release of Node as a package, so none has to be installed: npm run test:nodes -- 22 24 latest

const root = fileURLToPath(new URL('..', import.meta.url));
const versions = process.argv.length > 2 ? process.argv.slice(2) : ['22', '24', 'latest'];
const folder = mkdtempSync(join(tmpdir(), 'turnwise-nodes-'));
const clone = join(folder, 'clone');
const results = [];
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (isStopped = true));
delete process.env.OPENAI_API_KEY;
delete process.env.OPENAI_BASE_URL;

try {
  execFileSync('git', ['clone', '--quiet', root, clone], { stdio: 'inherit' });
  for (const version of versions) if (!isStopped) results.push(await testOn(version));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const { name, failed, seconds } of results) {
  console.log(
    `${name}: ${failed.length === 0 ? 'passed' : `FAILED: ${failed.join(', ')}`} (${seconds} s)`,
  );
}
process.exitCode = isStopped ? 130 : results.every(({ failed }) => failed.length === 0) ? 0 : 1;

async function testOn(version) {
  const startedAt = performance.now();
  const bin = install(version);
  const env = { PATH: `${bin}${delimiter}${process.env.PATH}` };
  const node = join(bin, 'node');
  const name = `Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1)}`;
  const steps = {
    'npm start': ['bin/setup.js', 'start'],
    tests: ['node_modules/vitest/vitest.mjs', 'run', '--project', 'pure', '--project', 'quick'],
  };
  const failed = [];
  for (const [step, args] of Object.entries(steps)) {
    if (isStopped) break;
    console.log(`• ${name}: ${step}`);
    if ((await runProgram(node, args, { cwd: clone, env })) !== 0) failed.push(step);
  }
  return { name, failed, seconds: Math.round((performance.now() - startedAt) / 1000) };
}

/** The folder that the programs of this version of Node are in. */
function install(version) {
  const place = join(folder, `node-${version}`);
  const found = `node-${process.platform}-${process.arch}@${version}`;
  const flags = ['--prefix', place, '--no-save', '--no-fund', '--no-audit', '--silent'];
  execFileSync('npm', ['install', ...flags, found], { cwd: folder, stdio: 'inherit' });
  return join(place, 'node_modules', found.slice(0, found.lastIndexOf('@')), 'bin');
}
