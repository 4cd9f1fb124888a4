import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RunFilesPort } from '../../../activities/ports/run-files.js';
import {
  datasetFile,
  manifestFile,
  runFolder,
  type RunManifest,
} from '../../../domain/runs/run-manifest.js';
import { openRunFiles } from '../../../storage/runs/run-files.js';
import { exampleManifest } from './example-manifest.js';

export interface RunInFolder {
  readonly home: string;
  /** The run's own folder. */
  readonly folder: string;
  readonly manifest: RunManifest;
  readonly runFiles: RunFilesPort;
}

/**
 * A run as `turnwise run` leaves it for the workers. `items` are lines of its dataset.
 * @param home - TURNWISE_HOME of several runs; a new one where it is left out.
 */
export function runInFolder(
  items: readonly object[],
  change: (manifest: RunManifest) => RunManifest = (manifest) => manifest,
  home = mkdtempSync(join(tmpdir(), 'turnwise-run-')),
): RunInFolder {
  const manifest = change(exampleManifest());
  const folder = join(home, runFolder(manifest.run));
  const write = (file: string, text: string): void => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  write(manifestFile, JSON.stringify(manifest));
  write(datasetFile, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  return { home, folder, manifest, runFiles: openRunFiles(home) };
}
