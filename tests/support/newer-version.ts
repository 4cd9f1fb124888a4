import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from './command-line.js';

/**
 * What is built here, with another version and other workflow code, in `folder`.
 * @param change - of the bundled workflows. Whatever follows their source map would be read as a part of that.
 */
export function newerVersion(folder: string, change: (bundle: string) => string): string {
  for (const part of ['bin', 'dist', 'package.json']) {
    cpSync(join(checkout, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  const manifest = join(folder, 'package.json');
  const { version, ...others } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  writeFileSync(manifest, JSON.stringify({ ...others, version: `${version}-newer` }));
  const bundle = join(folder, 'dist/workflow-bundle.cjs');
  writeFileSync(bundle, change(readFileSync(bundle, 'utf8')));
  return folder;
}

/** Has a workflow do this after a line of it that contains `part`. */
export function withStatement(bundle: string, part: string, statement: string): string {
  const place = bundle.indexOf(part);
  if (place === -1) throw new Error(`the bundle does not contain ${part}`);
  const end = bundle.indexOf('\n', place);
  return `${bundle.slice(0, end)}\n${statement}${bundle.slice(end)}`;
}
