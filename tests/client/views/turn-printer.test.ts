import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { toolStatsOf } from '../../../domain/agent/question-result.js';
import { RunFolder } from '../../../client/runs/run-folder.js';
import { TurnPrinter } from '../../../client/views/turn-printer.js';
import { anyValueOfJson, type Action } from '../../../domain/agent/actions/action.js';
import { observationFile, replyFile } from '../../../domain/runs/run-manifest.js';
import { exampleObservation, exampleReply, sampleKey } from '../../support/runs/example-records.js';
import { runInFolder } from '../../support/runs/run-in-folder.js';

const key = sampleKey('a');
const sql: Action = { kind: 'RetrieveFromDatabase', sql: 'SELECT title\n  FROM metadata' };
const search: Action = { kind: 'ClassicRetrieve', query: 'wet meadows', limit: anyValueOfJson(3) };
const answer: Action = { kind: 'GenerateAnswer', answer: { kind: 'text', text: 'two' } };

const busy = { waiting: [] };

function printing() {
  const { home, folder, manifest } = runInFolder([{ uuid: 'a', question: 'How many?' }]);
  const printed: string[] = [];
  const printer = new TurnPrinter(new RunFolder(home, manifest.run), key, {
    write: (text) => printed.push(text),
  });
  const put = (file: string, record: object): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), JSON.stringify(record));
  };
  return {
    printer,
    put,
    reply: (turn: number, action: Action | null) =>
      put(replyFile(key, turn), exampleReply(turn, action)),
    observation: (turn: number, content: string) =>
      put(observationFile(key, turn), exampleObservation(turn, content)),
    take: () => printed.splice(0).join(''),
  };
}

it('prints each part of a turn once, as it arrives', async () => {
  const { printer, reply, observation, take } = printing();
  await printer.onProgress(busy);
  expect(take()).toBe('');
  reply(1, sql);
  await printer.onProgress(busy);
  await printer.onProgress(busy);
  expect(take()).toBe('turn 1  thought 1\n  SQL     SELECT title FROM metadata\n');
  observation(1, 'a\nb');
  await printer.onProgress(busy);
  expect(take()).toBe('  →       a b\n\n');
});

it('says once what the question waits for', async () => {
  const { printer, take } = printing();
  const wait = {
    ...key,
    ...({ reason: 'rate-limit', message: 'a limit of a day, which is reached' } as const),
    ...{ until: 0, need: null, failure: null },
  } as const;
  await printer.onProgress({ waiting: [wait] });
  await printer.onProgress({ waiting: [{ ...wait, until: 60_000 }] });
  expect(take()).toBe(
    '(waits until 1970-01-01T00:00:00.000Z: a limit of a day, which is reached)\n',
  );
});

it('prints all stored turns, including unreadable replies, and then the answer', async () => {
  const { printer, reply, observation, take } = printing();
  reply(1, null);
  reply(2, search);
  observation(2, 'x'.repeat(2000));
  reply(3, answer);
  const tools = { ...toolStatsOf([]), ungrounded: ['two'] };
  await printer.finish({ outcome: { kind: 'answered' }, answer: 'two', tools });
  expect(take().replace(/x+/, 'x')).toBe(
    [
      'turn 1  reply 1\n  unread  No action in it.\n',
      'turn 2  thought 2\n  search  wet meadows\n  →       x…\n',
      'turn 3  thought 3\n  answer  two\n',
      'Answer: two\n(no observation shows two)\n',
    ].join('\n'),
  );
});

it('prints an answer without a thought beside its turn, as agents over databases give it', async () => {
  const { printer, put, take } = printing();
  const reading = { kind: 'action', thought: '', action: answer } as const;
  put(replyFile(key, 1), exampleReply(1, answer, { reading }));
  await printer.onProgress(busy);
  expect(take()).toBe('turn 1  answer  two\n\n');
});

it('shows why there is no answer', async () => {
  const { printer, take } = printing();
  await printer.finish({
    outcome: { kind: 'infra-error', failure: 'ModelRefusedKey', message: 'HTTP 401' },
    answer: null,
    tools: toolStatsOf([]),
  });
  expect(take()).toBe('No answer: infra-error (HTTP 401)\n');
});

it('reports silence once, and again after progress', async () => {
  const { printer, take } = printing();
  printer.onSilence('refused');
  printer.onSilence('refused');
  expect(take()).toBe('(waiting for Temporal and a worker: refused)\n');
  await printer.onProgress(busy);
  printer.onSilence('refused');
  expect(take()).not.toBe('');
});
