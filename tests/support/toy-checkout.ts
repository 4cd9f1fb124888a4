import { execSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sourceFolders } from '../../bin/stamps.js';

const root = resolve(import.meta.dirname, '../..');

const program = (text: string): string => `node -e "${text}"`;

const tally = '{passed:3,failed:0,skipped:1}';

const scripts = {
  build: program(
    "const fs=require('fs');for(const d of['programs','worker','bench/servers'])fs.mkdirSync('dist/'+d,{recursive:true});" +
      "fs.writeFileSync('dist/programs/turnwise.js','console.log(process.argv.slice(2).join());process.exitCode=7');" +
      "fs.writeFileSync('dist/worker/fetch-engines.js','');" +
      "fs.writeFileSync('dist/bench/servers/fetch-servers.js','');" +
      "fs.writeFileSync('dist/bench/main.js','console.log(process.argv.slice(2).join())');" +
      // As the last step of the real build does.
      "import('./bin/stamps.js').then(({stampBuild})=>stampBuild('.'))",
  ),
  format: program(''),
  lint: program(''),
  types: program(''),
  structure: program(''),
  spell: program(''),
  unit: program(`require('fs').writeFileSync(process.env.TALLY_FILE,JSON.stringify(${tally}))`),
};

const manifest = { name: 'toy', dependencies: { dep: 'file:dep' } };

const lock = {
  name: 'toy',
  lockfileVersion: 3,
  packages: {
    '': manifest,
    dep: { version: '1.0.0' },
    'node_modules/dep': { resolved: 'dep', link: true },
  },
};

export interface Outcome {
  readonly status: number | null;
  readonly lines: readonly string[];
  readonly complaint: string;
}

/** A checkout with one dependency, a folder of its own, whose scripts do next to nothing, with the real programs of bin/. */
export interface ToyCheckout {
  readonly write: (path: string, text: string) => void;
  readonly append: (path: string, text: string) => void;
  readonly setScript: (name: keyof typeof scripts, command: string) => void;
  readonly run: (command: string, ...args: readonly string[]) => Outcome;
  /** As `npm run build` by hand. */
  readonly build: () => void;
  readonly remove: (path?: string) => void;
}

export function makeToyCheckout(): ToyCheckout {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-toy-'));
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  const writePackage = (all: Readonly<Record<string, string>>): void =>
    write('package.json', JSON.stringify({ ...manifest, type: 'module', scripts: all }));

  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  for (const source of sourceFolders) {
    mkdirSync(join(folder, source));
    write(join(source, 'a.ts'), '');
  }
  writePackage(scripts);
  mkdirSync(join(folder, 'dep'));
  write('dep/package.json', '{"name":"dep","version":"1.0.0"}');
  write('package-lock.json', JSON.stringify(lock));
  for (const config of ['tsconfig.json', 'tsconfig.build.json']) write(config, '{}');
  return {
    write,
    append: (path, text) => appendFileSync(join(folder, path), text),
    setScript: (name, command) => writePackage({ ...scripts, [name]: command }),
    run: (command, ...args) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
        cwd: folder,
        encoding: 'utf8',
      });
      return { status, lines: stdout.trimEnd().split('\n'), complaint: stderr.trimEnd() };
    },
    build: () => void execSync('npm run build', { cwd: folder, stdio: 'ignore' }),
    remove: (path = '') => rmSync(join(folder, path), { recursive: true, force: true }),
  };
}
