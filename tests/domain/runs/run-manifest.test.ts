import { expect, it } from 'vitest';
import { runIdSchema } from '../../../domain/ids.js';
import {
  endFile,
  observationFile,
  replyFile,
  runFolder,
  trajectoryFile,
} from '../../../domain/runs/run-manifest.js';
import { sampleKey } from '../../support/runs/example-records.js';

it('keeps a run in a folder of its own', () => {
  expect(runFolder(runIdSchema.parse('a-run'))).toBe('runs/a-run');
});

it('names the files of a question by its uuid, and by its epoch from the second on', () => {
  const [first, second] = [sampleKey('q1'), sampleKey('q1', 2)];
  expect([
    trajectoryFile(first),
    replyFile(first, 7),
    observationFile(first, 7),
    endFile(first),
  ]).toEqual([
    'trajectories/q1.jsonl',
    'turns/q1/007.reply.json',
    'turns/q1/007.observation.json',
    'turns/q1/end.json',
  ]);
  expect([trajectoryFile(second), replyFile(second, 100), endFile(second)]).toEqual([
    'trajectories/q1~~2.jsonl',
    'turns/q1~~2/100.reply.json',
    'turns/q1~~2/end.json',
  ]);
});

it('keeps the second epoch of a question apart from a question that is named like it', () => {
  expect(endFile(sampleKey('q', 2))).not.toBe(endFile(sampleKey('q.e2')));
  expect(endFile(sampleKey('q', 2))).not.toBe(endFile(sampleKey('q-e2')));
});
