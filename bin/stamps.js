import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders of what is built. */
export const sourceFolders = [
  'domain',
  'workflows',
  'activities',
  'storage',
  'temporal',
  'worker',
  'client',
  'simulator',
  'bench',
  'plugins',
];
const buildFiles = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'bin/bundle.js',
];

const packagesStamp = (root) => join(root, 'node_modules', '.turnwise-stamp');
const buildStamp = (root) => join(root, 'dist', '.turnwise-stamp');

/** Does `node_modules` hold what the lock file says? */
export function packagesAreCurrent(root) {
  if (readText(packagesStamp(root)) === hashOfPackages(root)) return true;
  if (existsSync(packagesStamp(root)) || !installedAsLocked(root)) return false;
  // Somebody ran `npm ci` by hand.
  stampPackages(root);
  return true;
}

export const stampPackages = (root) => writeStamp(packagesStamp(root), hashOfPackages(root));

/** Was `dist` built from these sources? */
export const buildIsCurrent = (root) => readText(buildStamp(root)) === hashOfSources(root);

export const stampBuild = (root) => writeStamp(buildStamp(root), hashOfSources(root));

function writeStamp(path, hashed) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, hashed);
}

function hashOfPackages(root) {
  const nodeMajor = process.versions.node.split('.')[0];
  return hash([readText(join(root, 'package-lock.json')), nodeMajor]);
}

function hashOfSources(root) {
  // The Docker image has no bench/.
  const folders = sourceFolders.filter((folder) => existsSync(join(root, folder)));
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((path) => /\.([jt]s|tsx)$/.test(path))
      .map((path) => join(folder, path)),
  );
  const files = [...buildFiles, ...sources.sort()];
  return hash(files.flatMap((file) => [file, readText(join(root, file))]));
}

/** npm keeps its own record of what it installed; it leaves out the root and what other platforms need. */
function installedAsLocked(root) {
  const installed = packagesIn(join(root, 'node_modules', '.package-lock.json'));
  const locked = packagesIn(join(root, 'package-lock.json'));
  return Object.entries(locked)
    .filter(([path]) => path !== '')
    .every(([path, { version, optional }]) =>
      path in installed ? installed[path].version === version : optional === true,
    );
}

function packagesIn(path) {
  const text = readText(path);
  return text === undefined ? {} : JSON.parse(text).packages;
}

function hash(parts) {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(`${part}\0`);
  return digest.digest('hex');
}

function readText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
