import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { compiledEntry } from '../support/compiled-entry.js';

describe('the threads that run workflows', () => {
  const threads = compiledEntry('worker/workflow-threads.ts');
  const thread = compiledEntry('worker/workflow-thread.ts');
  afterAll(() => {
    threads.remove();
    thread.remove();
  });

  /** As the SDK does: a CommonJS module makes a thread, and that enters a context under a time limit. */
  async function run(script: string, seconds: number): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'turnwise-threads-'));
    const inThread = join(folder, 'thread.cjs');
    writeFileSync(
      inThread,
      `const vm = require('node:vm');
      const context = vm.createContext({ passed: 0 });
      new vm.Script(${JSON.stringify(script)}).runInContext(context, { timeout: 50 });
      process.stdout.write('passed ' + context.passed);`,
    );
    const main = join(folder, 'main.mjs');
    writeFileSync(
      main,
      `import { createRequire } from 'node:module';
      import { watchWorkflowThreads } from ${JSON.stringify(threads.entry.href)};
      watchWorkflowThreads({ thread: new URL(${JSON.stringify(thread.entry.href)}), mostSeconds: ${seconds}, lookEveryMs: 100 });
      const { Worker } = createRequire(import.meta.url)('node:worker_threads');
      new Worker(${JSON.stringify(inThread)});
      setTimeout(() => {}, ${seconds === 0 ? 60_000 : 0});`,
    );
    const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, complaints] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    return out + complaints;
  }

  it('enter a workflow without a limit of their own', async () => {
    const longerThanTheLimit =
      'for (const end = Date.now() + 200; Date.now() < end; ) passed += 1; passed = 1';
    expect(await run(longerThanTheLimit, 30)).toBe('passed 1');
  });

  it('end their worker where one never comes back', async () => {
    expect(await run('for (;;);', 0)).toContain('the worker is ended');
  });
});
