import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { failureTypes } from '../../domain/failure-type.js';
import { createFolderStorage } from '../../storage/folder-storage.js';
import { createRunFiles } from '../../storage/runs/run-files.js';
import { exampleManifest } from '../support/runs/example-manifest.js';
import {
  exampleEnd,
  exampleJudgeReply,
  exampleObservation,
  exampleReply,
  sampleKey,
} from '../support/runs/example-records.js';
import { runFilesContract } from '../support/runs/run-files-contract.js';
import { slowShare } from '../support/storage/slow-share.js';
import { storageContract } from '../support/storage/storage-contract.js';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'turnwise-share-'));

describe('a network share in good times', () => {
  const calmShare = () => {
    const folder = newFolder();
    const share = slowShare(() => createFolderStorage(folder), 1);
    share.calm();
    return share.mount;
  };
  storageContract(calmShare);
  runFilesContract(() => {
    const mount = calmShare();
    const broken = { ...mount(), ...refusing };
    return {
      open: () => createRunFiles(mount()),
      storage: mount(),
      unwritable: () => createRunFiles(broken),
    };
  });
});

const refuse = (): Promise<never> => Promise.reject(new Error('read-only file system'));
const refusing = {
  write: refuse,
  create: refuse,
  remove: refuse,
  log: () => ({
    append: refuse,
    remove: refuse,
    replace: refuse,
    text: () => Promise.resolve(null),
    batches: async function* () {},
    tail: () => Promise.resolve({ lines: [], isAll: true }),
    reader: () => ({ read: () => Promise.resolve([]) }),
  }),
};

/** As Temporal tries an activity again. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PortFailure) || !failureTypes[error.type].retry) throw error;
    }
  }
}

describe('a network share in bad times', () => {
  const { run } = exampleManifest();
  const outcomes = ['cancelled', 'answered', 'deadline'] as const;
  const seeds = Array.from({ length: 40 }, (_, index) => index + 1);

  it.each(seeds)(
    'tells three machines of the one record that was stored, first by seed %d',
    async (seed) => {
      const folder = newFolder();
      const share = slowShare(() => createFolderStorage(folder), seed);
      const machines = [share.mount(), share.mount(), share.mount()].map(createRunFiles);
      const key = sampleKey('q1');

      const told = await Promise.all(
        machines.map(async (files, index) => {
          const reply = exampleReply(1, null, { costUsd: index });
          const judged = { ...exampleJudgeReply('0.1', 1), raw: `said by ${index}` };
          return {
            reply: await untilDone(() => files.saveReply(run, key, reply)),
            observation: await untilDone(() =>
              files.saveObservation(run, key, exampleObservation(1, `by ${index}`)),
            ),
            judged: await untilDone(() => files.saveJudgeReply(run, key, judged)),
          };
        }),
      );
      const ends = await Promise.all(
        machines.map(async (files, index) => {
          const end = exampleEnd(key, { kind: outcomes[index] ?? 'cancelled' });
          const saved = await untilDone(() => files.saveEnd(run, key, end, []));
          await untilDone(() => files.pack(run, key));
          return saved;
        }),
      );
      // Of a process that was frozen until the records were packed.
      const late = createRunFiles(share.mount());
      await untilDone(() => late.saveReply(run, key, exampleReply(1, null, { costUsd: 9 })));

      share.calm();
      for (const files of [...machines, createRunFiles(share.mount())]) {
        const stored = {
          reply: await files.reply(run, key, 1),
          observation: await files.observation(run, key, 1),
          judged: (await files.judgeReplies(run, key))[0],
        };
        expect(told).toEqual([stored, stored, stored]);
        const end = await files.end(run, key);
        expect(ends).toEqual([end, end, end]);
      }
    },
  );
});
