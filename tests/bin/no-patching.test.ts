import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';

const eslint = new ESLint({ cwd: process.cwd() });

/** The rules that refuse the code, with the project's own configuration. */
async function refusals(code: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(code, { filePath: 'bin/example.js' });
  return (result?.messages ?? [])
    .map(({ ruleId }) => ruleId)
    .filter((rule) => rule !== 'no-undef' && rule !== 'no-unused-vars');
}

describe('patches of the platform and of other modules', () => {
  it.each([
    ['a method of a prototype', `Script.prototype.runInContext = () => 1;`],
    ['a prototype by its text', `Script['prototype'].runInContext = () => 1;`],
    ['a whole prototype', `Object.setPrototypeOf(Script.prototype, null);`],
    ['a prototype under another name', `const proto = Script.prototype; proto.run = () => 1;`],
    ['the prototype of a value', `Object.getPrototypeOf(async () => 1).then = () => 1;`],
    ['a property that is defined', `Object.defineProperty(Script.prototype, 'run', { value: 1 });`],
    ['a static method of a global', `Promise.race = () => 1;`],
    ['a property of a global', `Reflect.defineProperty(Promise, 'constructor', { value: 1 });`],
    ['a global', `globalThis.setTimeout = () => 1;`],
    ['a global that is removed', `delete globalThis.setTimeout;`],
    ['a native prototype', `Object.assign(Array.prototype, { last: 1 });`],
    ['an imported class', `import { Worker } from 'a'; Worker.create = () => 1;`],
    ['a default import', `import threads from 'node:worker_threads'; threads.Worker = class {};`],
    ['a namespace', `import * as a from 'a'; Object.defineProperty(a, 'b', { value: 1 });`],
    ['an object inside of an export', `import { settings } from 'a'; settings.limits.calls += 1;`],
    ['what require returns', `const threads = require('worker_threads'); threads.Worker = 1;`],
    ['a part of it', `const { Script } = require('vm'); Script.run = () => 1;`],
    [
      'what createRequire loads',
      `import { createRequire } from 'a'; createRequire(import.meta.url)('vm').Script = 1;`,
    ],
    ['what a dynamic import returns', `const vm = await import('vm'); vm.default.Script = 1;`],
  ])('refuses to change %s', async (_, code) => {
    expect(await refusals(code)).toContain('turnwise/no-patching');
  });

  it.each([
    ['its own object', `const counts = {}; counts.calls = 1; Object.assign(counts, { a: 1 });`],
    [
      'a copy of an export',
      `import { settings } from 'a'; const own = { ...settings }; own.b = 1;`,
    ],
    ['the exit status', `process.exitCode = 1; process.env.A = 'b';`],
    ['the number of frames of a stack trace', `Error.stackTraceLimit = 3;`],
    ['what an imported function made', `import { make } from 'a'; const own = make(); own.b = 1;`],
    ['an instance', `const own = new Map(); own.label = 'b';`],
    ['its own field', `class Own { set(value) { this.value = value; } } new Own().set(1);`],
  ])('accepts a change of %s', async (_, code) => {
    expect(await refusals(code)).toEqual([]);
  });

  it.each([
    'domain/ids.ts',
    'workflows/index.ts',
    'worker/main.ts',
    'client/main.ts',
    'tests/docs.test.ts',
  ])('applies to %s', async (file) => {
    const config = (await eslint.calculateConfigForFile(file)) as {
      rules: Record<string, unknown[]>;
    };
    expect(config.rules['turnwise/no-patching']?.[0]).toBe(2);
    expect(config.rules['no-extend-native']?.[0]).toBe(2);
  });
});
