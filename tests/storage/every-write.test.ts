import { mkdtempSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import type * as Fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  datasetFile,
  endFile,
  firstAsking,
  isPack,
  judgesFolder,
  manifestFile,
  observationFile,
  packFile,
  replyFile,
  reportFile,
  resultsFile,
  runFolder,
  scoresFile,
  askingFile,
  trajectoryFile,
  turnsFolder,
} from '../../domain/runs/run-manifest.js';
import { removeLeftovers } from '../../storage/atomic-file.js';
import { createFolderStorage, draftsFolder } from '../../storage/folder-storage.js';
import { createRunFiles } from '../../storage/runs/run-files.js';
import { exampleManifest } from '../support/runs/example-manifest.js';
import {
  exampleEnd,
  exampleJudgeReply,
  exampleObservation,
  exampleReply,
  sampleKey,
} from '../support/runs/example-records.js';

/** Operations that change a disk. */
const changes = ['writeFile', 'appendFile', 'write', 'link', 'unlink', 'rename', 'rm', 'mkdir'];

interface Disk {
  /** What the change of this number comes to: it is made, fails in the middle, or its process is killed in the middle. */
  at: number;
  how: 'full' | 'killed';
  count: number;
}
const disk = vi.hoisted((): Disk => ({ at: Infinity, how: 'full', count: 0 }));

vi.mock('node:fs/promises', async (importOriginal) => {
  type Work = (...args: unknown[]) => Promise<unknown>;
  const fs = await importOriginal<typeof Fs>();
  /** A part of what was to be written is there. */
  const half = async (name: string, of: object, work: Work, args: unknown[]): Promise<void> => {
    const isText = typeof args[1] === 'string';
    if (name === 'writeFile' && isText)
      await work.apply(of, [args[0], String(args[1]).slice(0, 5), ...args.slice(2)]);
    if (name === 'write') await work.apply(of, [args[0], args[1], 3, args[3]]);
  };
  const faulty = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (of, property) => {
        const value: unknown = Reflect.get(of, property);
        if (typeof value !== 'function') return value;
        const name = String(property);
        // All functions of node:fs/promises, and of a FileHandle, are asynchronous.
        const work = value as Work;
        return async (...args: unknown[]): Promise<unknown> => {
          if (changes.includes(name)) disk.count += 1;
          // The system closes what a process leaves open.
          const isOver = disk.how === 'killed' && disk.count > disk.at && name !== 'close';
          if (isOver) throw new Error('this process was killed');
          if (disk.count >= disk.at && changes.includes(name) && !/^(rm|unlink)$/.test(name)) {
            if (disk.count === disk.at) await half(name, of, work, args);
            throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
          }
          const done = await work.apply(of, args);
          return name === 'open' ? faulty(done as object) : done;
        };
      },
    });
  return { ...faulty({ ...fs }), default: fs };
});

const works = (): void => void Object.assign(disk, { at: Infinity, how: 'full', count: 0 });
afterEach(works);

const manifest = exampleManifest();
const { run } = manifest;
const [one, other] = [sampleKey('q1'), sampleKey('q2')];

/** What a run with two questions writes, one of which is asked anew. Begun again, it goes on where it was. */
async function writeRun(home: string): Promise<void> {
  const files = createRunFiles(createFolderStorage(home));
  await files.saveManifest(manifest);
  for (const key of [one, other]) {
    // Of the first asking, also if there is another one already.
    const first = { ...key, asking: 1 };
    await files.saveReply(run, first, exampleReply(1, null));
    await files.saveObservation(run, first, exampleObservation(1, 'a row'));
    await files.saveJudgeReply(run, first, exampleJudgeReply('0', 1));
    const end = exampleEnd(key);
    await files.saveEnd(run, first, end, [{ role: 'user', content: 'How many?' }]);
    if ((await files.asking(run, key)) === 1) await files.publish(run, [end]);
    await files.pack(run, first);
  }
  if ((await files.asking(run, one)) === 1) await files.reopen(run, [one], true);
  await files.saveReply(run, one, exampleReply(1, null));
  const end = await files.saveEnd(run, one, exampleEnd(one), []);
  await files.publish(run, [end]);
  await files.saveText(run, reportFile, '<html></html>');
}

/** Whether the layout names a file of the run. */
function isNamed(path: string): boolean {
  const second = { asking: 2, turnsOf: 2 };
  const names = [manifestFile, datasetFile, resultsFile, scoresFile, reportFile];
  for (const key of [one, other]) {
    names.push(trajectoryFile(key), askingFile(key, 2));
    for (const asking of [firstAsking, second]) {
      names.push(endFile(key, asking));
      names.push(replyFile(key, 1, asking), observationFile(key, 1, asking));
      for (const number of [1, 2]) names.push(`${turnsFolder(key, asking)}/${packFile(number)}`);
      if (new RegExp(`^${judgesFolder(key, asking)}/[0-9a-f]{32}\\.judge\\.json$`).test(path))
        return true;
    }
  }
  return names.includes(path);
}

function filesOf(home: string): readonly string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** What the layout does not name. */
const unnamed = (home: string): readonly string[] =>
  filesOf(home)
    .map((path) => relative(join(home, runFolder(run)), path))
    .filter((path) => !isNamed(path));

/** The JSON of all files, without packs: a process that was killed leaves records in two of them. */
const contentOf = (home: string): ReadonlyMap<string, unknown> =>
  new Map(
    filesOf(home).flatMap((path) => {
      if (isPack(basename(path))) return [];
      const text = path.endsWith('.html') ? '[]' : readFileSync(path, 'utf8').trimEnd();
      const lines = `[${text.replaceAll(/\}\s*\n\{/g, '},{')}]`;
      return [[relative(home, path), JSON.parse(lines) as unknown] as const];
    }),
  );

const newHome = (): string => mkdtempSync(join(tmpdir(), 'turnwise-'));

describe('whatever change of the disk is the last one', () => {
  it('leaves only files that the layout names, and the work goes on to the same files', async () => {
    const calm = newHome();
    await writeRun(calm);
    const expected = contentOf(calm);
    const all = disk.count;
    expect(all).toBeGreaterThan(40);
    expect(unnamed(calm)).toEqual([]);
    for (const how of ['full', 'killed'] as const) {
      for (let at = 1; at <= all; at += 1) {
        const home = newHome();
        Object.assign(disk, { at, how, count: 0 });
        await expect(writeRun(home), `${how} ${at}`).rejects.toThrow();
        works();
        // What is settled about a log stays until the next append to it; a process that was killed removes nothing.
        const left = unnamed(home).filter((path) => how === 'full' && !path.endsWith('.next'));
        expect(left, `${how} ${at}`).toEqual([]);
        await writeRun(home);
        const longAgo = new Date(Date.now() - 25 * 3600_000);
        for (const path of filesOf(home)) utimesSync(path, longAgo, longAgo);
        await removeLeftovers(join(home, draftsFolder), 0);
        await removeLeftovers(join(home, 'runs'), 1);
        expect(contentOf(home), `${how} ${at}`).toEqual(expected);
      }
    }
  });
});
