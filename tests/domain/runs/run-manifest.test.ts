import { expect, it, describe } from 'vitest';
import { runIdSchema } from '../../../domain/ids.js';
import {
  endFile,
  observationFile,
  replyFile,
  runFolder,
  trajectoryFile,
  noteLineSchema,
  notesAbout,
  notesIn,
  noteText,
  tagsOf,
  writtenNoteSchema,
  type Note,
  type NoteLine,
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

const note = (id: string, more: Partial<Note> = {}): Note => ({
  kind: 'note',
  id,
  at: '2026-01-01T10:00:00.000Z',
  by: 'ann',
  about: null,
  text: 'the gold has a typo',
  tags: ['label-error'],
  ...more,
});
const removal = (of: string): NoteLine => ({
  ...{ kind: 'removal', id: 'ffffffff', at: '2026-01-02T10:00:00.000Z', by: 'bob', note: of },
});

describe('the notes of a run', () => {
  const [one, other] = [note('00000001'), note('00000002', { by: 'bob' })];

  it.each<[string, readonly NoteLine[], readonly Note[]]>([
    ['are none without lines', [], []],
    ['are those that were written', [one, other], [one, other]],
    ['are not those that were removed', [one, other, removal(one.id)], [other]],
    ['are not those whose removal an object store lists before them', [removal(one.id), one], []],
    ['are the same after a second removal', [one, removal(one.id), removal(one.id)], []],
    ['are the same after a removal of none', [one, removal('0000000f')], [one]],
    [
      'are in the order of their times',
      [note('00000003', { at: '2026-01-03T10:00:00.000Z' }), one],
      [one, note('00000003', { at: '2026-01-03T10:00:00.000Z' })],
    ],
  ])('%s', (_, lines, expected) => {
    expect(notesIn(lines)).toEqual(expected);
  });

  it('survive JSON', () => {
    const lines = [note('00000001', { about: sampleKey('q1', 2) }), removal('00000001')];
    const read = JSON.parse(JSON.stringify(lines)) as readonly unknown[];
    expect(read.map((each) => noteLineSchema.parse(each))).toEqual(lines);
  });

  it('are those on the run, or on one question in one epoch', () => {
    const all = [
      one,
      note('00000002', { about: sampleKey('q1') }),
      note('00000003', { about: sampleKey('q1', 2) }),
    ];
    expect(notesAbout(all, null)).toEqual([one]);
    expect(notesAbout(all, sampleKey('q1', 2)).map(({ id }) => id)).toEqual(['00000003']);
    expect(notesAbout(all, sampleKey('q2'))).toEqual([]);
  });

  it('have each tag once', () => {
    expect(tagsOf([one, note('00000002', { tags: ['good example', 'label-error'] })])).toEqual([
      'label-error',
      'good example',
    ]);
  });

  it.each([
    [
      ['label-error', 'good example'],
      'the gold has a typo',
      'label-error, good example: the gold has a typo',
    ],
    [['label-error'], '', 'label-error'],
    [[], 'a text', 'a text'],
  ])('are written as tags %j and text %j', (tags, text, expected) => {
    expect(noteText(note('00000001', { tags, text }))).toBe(expected);
  });
});

describe('a note as it is written', () => {
  const written = { by: ' ann ', about: null, text: ' a text\nof two lines ', tags: [' a ', 'a'] };

  it('has no space around it, and no tag twice', () => {
    expect(writtenNoteSchema.parse(written)).toEqual({
      ...{ by: 'ann', about: null, text: 'a text\nof two lines', tags: ['a'] },
    });
    expect(writtenNoteSchema.parse({ by: 'ann', about: sampleKey('q1'), tags: ['a'] }).text).toBe(
      '',
    );
  });

  it.each<[object, RegExp]>([
    [{ text: ' ', tags: [] }, /needs a text or a tag/],
    [{ text: 'x'.repeat(2_001) }, /at most 2000 characters/],
    [{ tags: ['a,b'] }, /without a comma/],
    [{ tags: ['a\u2028b'] }, /on one line/],
    [{ tags: ['x'.repeat(51)] }, /1 to 50 characters/],
    [{ tags: Array.from({ length: 21 }, (_, at) => `tag ${at}`) }, /tags/],
    [{ by: '' }, /by/],
    [{ about: { uuid: 'q1', epoch: 0 } }, /epoch/],
    [{ other: 1 }, /other/],
  ])('is refused: %j', (wrong, message) => {
    expect(writtenNoteSchema.safeParse({ ...written, ...wrong }).error?.message).toMatch(message);
  });
});
