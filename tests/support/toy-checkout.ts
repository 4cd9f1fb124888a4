import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

const program = (text: string): string => `node -e "${text}"`;

const tally = '{passed:3,failed:0,skipped:1}';

const scripts = {
  build: program(
    "const fs=require('fs');for(const d of['client','worker'])fs.mkdirSync('dist/'+d,{recursive:true});" +
      "fs.writeFileSync('dist/client/main.js','console.log(process.argv.slice(2).join());process.exitCode=7');" +
      "fs.writeFileSync('dist/worker/fetch-engines.js','')",
  ),
  format: program(''),
  lint: program(''),
  types: program(''),
  unit: program(`require('fs').writeFileSync(process.env.TALLY_FILE,JSON.stringify(${tally}))`),
};

export interface Outcome {
  readonly status: number | null;
  readonly lines: readonly string[];
}

/** A checkout without dependencies, whose scripts do next to nothing, with the real programs of bin/. */
export interface ToyCheckout {
  readonly write: (path: string, text: string) => void;
  readonly setScript: (name: keyof typeof scripts, command: string) => void;
  readonly run: (command: string, ...args: readonly string[]) => Outcome;
  readonly remove: (path?: string) => void;
}

export function makeToyCheckout(): ToyCheckout {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-toy-'));
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  const writePackage = (all: Readonly<Record<string, string>>): void =>
    write('package.json', JSON.stringify({ name: 'toy', type: 'module', scripts: all }));

  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  for (const source of ['domain', 'workflows', 'activities', 'worker', 'client']) {
    mkdirSync(join(folder, source));
    write(join(source, 'a.ts'), '');
  }
  writePackage(scripts);
  write('package-lock.json', '{"name":"toy","lockfileVersion":3,"packages":{"":{"name":"toy"}}}');
  for (const config of ['tsconfig.json', 'tsconfig.build.json']) write(config, '{}');
  return {
    write,
    setScript: (name, command) => writePackage({ ...scripts, [name]: command }),
    run: (command, ...args) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
        cwd: folder,
        encoding: 'utf8',
      });
      return { status, lines: (stdout + stderr).trimEnd().split('\n') };
    },
    remove: (path = '') => rmSync(join(folder, path), { recursive: true, force: true }),
  };
}
