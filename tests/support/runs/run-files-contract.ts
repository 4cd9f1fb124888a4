import { anyValueOfJson } from '../../../domain/agent/actions/action.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { PortFailure } from '../../../activities/ports/port-failure.js';
import type { RunFilesPort } from '../../../activities/ports/run-files.js';
import type { SampleKey } from '../../../domain/ids.js';
import {
  datasetFile,
  endFile,
  manifestFile,
  notesFile,
  observationFile,
  replyFile,
  resultsFile,
  rulingsFile,
  runFolder,
  scoresFile,
  trajectoryFile,
  noteLineSchema,
  type RunManifest,
  type NoteLine,
} from '../../../domain/runs/run-manifest.js';
import { rulingLineSchema, type RulingLine } from '../../../domain/scoring/ruling.js';
import type { ObjectStorage } from '../../../storage/objects.js';
import { exampleManifest } from './example-manifest.js';
import {
  exampleEnd,
  exampleJudgeReply,
  exampleObservation,
  exampleReply,
  sampleKey,
} from './example-records.js';

/** A place for runs, as an adapter's own test makes it. */
export interface RunFilesUnderTest {
  /** A port to that place, as another process would open it. */
  readonly open: () => RunFilesPort;
  /** The place itself, to look and write behind the port's back: a dataset, damage. */
  readonly storage: ObjectStorage;
  /** A port to a place like it in which nothing can be written. */
  readonly unwritable: () => RunFilesPort;
}

/** What every adapter of RunFilesPort must do. `make` gives an empty place for each test. */
export function runFilesContract(make: () => RunFilesUnderTest): void {
  const manifest: RunManifest = exampleManifest();
  const { run } = manifest;
  const [first, second] = [sampleKey('q1'), sampleKey('q1', 2)];
  const cannot = (type: PortFailure['type'], message: RegExp | string) =>
    expect.objectContaining({
      name: 'PortFailure',
      type,
      message: expect.stringMatching(message) as unknown,
    }) as Error;

  let place: RunFilesUnderTest;
  let files: RunFilesPort;
  const write = (file: string, text: string): Promise<void> =>
    place.storage.write(`${runFolder(run)}/${file}`, text);
  beforeEach(async () => {
    place = make();
    files = place.open();
    await write(datasetFile, '{"uuid":"q1","question":"Why?"}\n{"uuid":"q2","question":"How?"}\n');
  });
  const keysIn = async (file: string): Promise<readonly string[]> =>
    ((await place.open().text(run, file)) ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { uuid, epoch } = JSON.parse(line) as SampleKey;
        return `${uuid} ${epoch}`;
      });

  describe('what a run begins with', () => {
    it('gives back the manifest it was given, and the newest of several', async () => {
      await files.saveManifest(manifest);
      await files.saveManifest({ ...manifest, status: 'done' });
      expect(await place.open().manifest(run)).toEqual({ ...manifest, status: 'done' });
    });

    it('finds the questions of the dataset', async () => {
      expect((await files.items(run)).map(({ uuid }) => uuid)).toEqual(['q1', 'q2']);
      expect(await files.item(run, first.uuid)).toMatchObject({ question: 'Why?' });
    });

    it('finds them once they are there', async () => {
      await write(datasetFile, '{"uuid":');
      await expect(files.items(run)).rejects.toEqual(cannot('InvalidRun', /line 1/));
      await write(datasetFile, '{"uuid":"q1","question":"Why?"}\n');
      expect(await files.items(run)).toHaveLength(1);
    });

    it('finds those of another run that has been given its name', async () => {
      await files.items(run);
      await write(datasetFile, '{"uuid":"q3","question":"Who is it?"}\n');
      // What is known of a dataset holds for a moment.
      await expect
        .poll(() => files.item(run, sampleKey('q3').uuid).catch(() => null))
        .toMatchObject({ question: 'Who is it?' });
      expect((await files.items(run)).map(({ uuid }) => uuid)).toEqual(['q3']);
    });

    it('says what is not there', async () => {
      await expect(files.manifest(run)).rejects.toEqual(
        cannot('InvalidRun', 'there is no run a-run: its manifest.json is missing'),
      );
      await expect(files.item(run, sampleKey('q3').uuid)).rejects.toEqual(
        cannot('InvalidRun', 'run a-run has no question q3'),
      );
    });
  });

  describe('what a question leaves', () => {
    const search = { kind: 'ClassicRetrieve', query: 'turns', limit: anyValueOfJson(5) } as const;

    it('is absent before', async () => {
      expect(await files.reply(run, first, 1)).toBeNull();
      expect(await files.observation(run, first, 1)).toBeNull();
      expect(await files.end(run, first)).toBeNull();
    });

    it('is found by question, epoch and turn', async () => {
      const reply = exampleReply(1, search);
      expect(await files.saveReply(run, first, reply)).toEqual(reply);
      await files.saveObservation(run, first, exampleObservation(1, 'found'));
      await files.saveEnd(run, first, exampleEnd(first), []);
      const other = place.open();
      expect(await other.reply(run, first, 1)).toEqual(reply);
      expect(await other.observation(run, first, 1)).toEqual(exampleObservation(1, 'found'));
      expect(await other.end(run, first)).toEqual(exampleEnd(first));
      expect(await other.reply(run, second, 1)).toBeNull();
      expect(await other.reply(run, first, 2)).toBeNull();
      expect(await other.end(run, second)).toBeNull();
    });

    it('stays as the first of two writers left it, and both learn which that was', async () => {
      const replies = [exampleReply(1, search), exampleReply(1, null)] as const;
      const told = await Promise.all(
        replies.map((reply) => place.open().saveReply(run, first, reply)),
      );
      const stored = await files.reply(run, first, 1);
      expect(replies).toContainEqual(stored);
      expect(told).toEqual([stored, stored]);

      await files.saveObservation(run, first, exampleObservation(1, 'first'));
      const observation = await place
        .open()
        .saveObservation(run, first, exampleObservation(1, 'second'));
      expect(observation.content).toBe('first');

      await files.saveEnd(run, first, exampleEnd(first), []);
      const end = await place
        .open()
        .saveEnd(run, first, exampleEnd(first, { kind: 'cancelled' }), []);
      expect(end.result.outcome.kind).toBe('answered');
      expect(await files.end(run, first)).toEqual(end);
    });

    it('has a trajectory of role and content once it has ended', async () => {
      const message = { role: 'user', content: 'Why?\n"Ünïcode"', more: 1 } as const;
      await files.saveEnd(run, first, exampleEnd(first), [message, message]);
      const line = '{"role":"user","content":"Why?\\n\\"Ünïcode\\""}\n';
      expect(await files.text(run, trajectoryFile(first))).toBe(line + line);
    });

    it.each<[string, () => Promise<unknown>]>([
      [manifestFile, () => files.manifest(run)],
      [replyFile(first, 1), () => files.reply(run, first, 1)],
    ])('is called damaged where %s makes no sense', async (file, look) => {
      for (const text of ['', '{"turn":', '[]', '{"turn":0}']) {
        await write(file, text);
        await expect(look()).rejects.toEqual(
          cannot('InvalidRun', `${file} of run a-run is damaged`),
        );
      }
    });
  });

  describe('a damaged record that can be made again', () => {
    const end = exampleEnd(first);
    const observation = exampleObservation(1, 'Nothing.');
    it.each([
      [
        'an end',
        endFile(first),
        () => files.end(run, first),
        () => files.saveEnd(run, first, end, []),
        end,
      ],
      [
        'an observation',
        observationFile(first, 1),
        () => files.observation(run, first, 1),
        () => files.saveObservation(run, first, observation),
        observation,
      ],
    ])('counts as absent until it is saved: %s', async (_, file, look, save, value) => {
      for (const text of ['', '{"turn":', '[]']) {
        await write(file, text);
        expect(await look()).toBeNull();
      }
      expect(await save()).toEqual(value);
      expect(await look()).toEqual(value);
    });

    it('is a line of results or scores, and is published again', async () => {
      const ends = [first, second].map((key) => exampleEnd(key));
      await files.publish(run, ends);
      for (const file of [resultsFile, scoresFile]) {
        const [line] = ((await files.text(run, file)) ?? '').split('\n');
        await files.saveText(run, file, `${line}\n{"uuid":"q1","epoch":2}\n`);
      }
      await place.open().publish(run, ends);
      expect(await keysIn(resultsFile)).toEqual(['q1 1', 'q1 2']);
      expect(await keysIn(scoresFile)).toEqual(['q1 1', 'q1 2']);
    });
  });

  describe('publishing', () => {
    const ends = [first, second, sampleKey('q2')].map((key) => exampleEnd(key));

    it('are known by when they were written last', async () => {
      expect(await files.writtenMs(run, resultsFile)).toBeNull();
      await files.publish(run, ends.slice(0, 1));
      const first = await files.writtenMs(run, resultsFile);
      expect(first).toBeGreaterThan(0);
      await files.publish(run, ends);
      expect(await files.writtenMs(run, resultsFile)).toBeGreaterThanOrEqual(first ?? Infinity);
    });

    it('adds a line to results and scores for each end, once', async () => {
      await files.publish(run, ends.slice(0, 2));
      await files.publish(run, ends);
      await files.publish(run, []);
      expect(await keysIn(resultsFile)).toEqual(['q1 1', 'q1 2', 'q2 1']);
      expect(await keysIn(scoresFile)).toEqual(['q1 1', 'q1 2', 'q2 1']);
    });

    it('knows what another process published before', async () => {
      await files.publish(run, ends.slice(0, 1));
      await place.open().publish(run, ends.slice(0, 2));
      await files.publish(run, ends);
      expect(await keysIn(resultsFile)).toEqual(['q1 1', 'q1 2', 'q2 1']);
    });

    it('keeps calls that overlap apart', async () => {
      await Promise.all([files.publish(run, ends), files.publish(run, ends.toReversed())]);
      expect(await keysIn(resultsFile)).toHaveLength(3);
      expect(await keysIn(scoresFile)).toHaveLength(3);
    });
  });

  describe('reopening', () => {
    const ends = [first, second, sampleKey('q2')].map((key) => exampleEnd(key));
    beforeEach(async () => {
      await files.saveReply(run, first, exampleReply(1, null));
      for (const end of ends) await files.saveEnd(run, end.result, end, []);
      await files.publish(run, ends);
    });

    it('takes back ends and their lines, so that they can end and be published once more', async () => {
      await files.reopen(run, [first, sampleKey('q3')], false);
      await files.reopen(run, [first], false);
      expect(await files.end(run, first)).toBeNull();
      expect(await files.end(run, second)).toEqual(ends[1]);
      expect(await keysIn(resultsFile)).toEqual(['q1 2', 'q2 1']);
      expect(await keysIn(scoresFile)).toEqual(['q1 2', 'q2 1']);
      const again = exampleEnd(first, { kind: 'cancelled' });
      const saved = await files.saveEnd(run, first, again, []);
      await place.open().publish(run, [saved]);
      expect(await keysIn(resultsFile)).toEqual(['q1 2', 'q2 1', 'q1 1']);
    });

    it('is done once for an asking, however often it is said', async () => {
      await files.reopen(run, [{ ...first, asking: 1 }], true);
      const saved = await files.saveEnd(run, first, exampleEnd(first), []);
      await files.publish(run, [saved]);
      await place.open().reopen(run, [{ ...first, asking: 1 }], false);
      expect(await files.asking(run, first)).toBe(2);
      expect(await files.end(run, first)).toEqual(saved);
      expect(await keysIn(resultsFile)).toEqual(['q1 2', 'q2 1', 'q1 1']);
    });

    it.each([true, false])(
      'keeps what comes late where it belongs, asked anew: %s',
      async (anew) => {
        await files.reopen(run, [first], anew);
        const late = { ...first, asking: 1 };
        const reply = exampleReply(2, null, { costUsd: 7 });
        await files.saveReply(run, late, reply);
        await files.saveObservation(run, late, exampleObservation(2, 'late'));
        await files.saveJudgeReply(run, late, exampleJudgeReply('0.1', 1));
        const end = await files.saveEnd(run, late, exampleEnd(first, { kind: 'deadline' }), []);
        expect(end).toEqual(ends[0]);
        expect(await files.end(run, first)).toBeNull();
        // An asking that goes on with the turns of another has its late turns too: they are of the same conversation.
        expect(await files.reply(run, first, 2)).toEqual(anew ? null : reply);
        expect((await files.judgeReplies(run, first)).length).toBe(anew ? 0 : 1);
        await files.publish(run, [end]);
        expect(await keysIn(resultsFile)).toEqual(['q1 2', 'q2 1']);
        expect(await keysIn(scoresFile)).toEqual(['q1 2', 'q2 1']);
      },
    );

    it('keeps the trajectory of the last asking', async () => {
      const message = (content: string) => ({ role: 'user', content }) as const;
      await files.reopen(run, [first, second], false);
      await files.saveEnd(run, first, exampleEnd(first), [message('second')]);
      await files.saveEnd(run, { ...first, asking: 1 }, exampleEnd(first), [message('first')]);
      expect(await files.text(run, trajectoryFile(first))).toContain('second');
    });

    it('keeps its turns, or puts them aside where they are asked anew', async () => {
      await files.reopen(run, [first], false);
      expect(await files.reply(run, first, 1)).toEqual(exampleReply(1, null));
      expect(await files.earlierReplies(run, first)).toEqual([]);
      await files.reopen(run, [first], true);
      await files.reopen(run, [first], true);
      expect(await files.reply(run, first, 1)).toBeNull();
      expect(await files.earlierReplies(run, first)).toMatchObject([{ costUsd: null }]);
      await files.saveReply(run, first, exampleReply(1, null, { costUsd: 0.2 }));
      await files.saveJudgeReply(run, first, exampleJudgeReply('0.1', 1));
      await files.reopen(run, [first], true);
      const costs = (await files.earlierReplies(run, first)).map(({ costUsd }) => costUsd);
      expect(costs.toSorted()).toEqual([0.01, 0.2, null]);
      expect(await files.judgeReplies(run, first)).toEqual([]);
    });

    it('keeps what judges said, and the first of two replies to one request', async () => {
      const reply = exampleJudgeReply('0.10', 2);
      expect(await files.judgeReplies(run, first)).toEqual([]);
      await files.saveJudgeReply(run, first, reply);
      await files.saveJudgeReply(run, first, exampleJudgeReply('0.10', 1));
      const late = { ...reply, raw: 'another' };
      expect(await files.saveJudgeReply(run, first, late)).toEqual(reply);
      const kept = await place.open().judgeReplies(run, first);
      expect(kept.map(({ number, raw }) => `${number} ${raw}`).toSorted()).toEqual([
        '1 call 1 about 0.10',
        '2 call 2 about 0.10',
      ]);
      expect(await files.judgeReplies(run, second)).toEqual([]);
    });

    it('keeps the first results of its SQL, also where it is opened again, until it is asked anew', async () => {
      const execution = (rows: number) => ({
        statements: [{ sql: 'SELECT 1', executed: { kind: 'too-large' as const, rows } }],
      });
      expect(await files.execution(run, first)).toBeNull();
      await files.saveExecution(run, first, execution(1));
      expect(await files.saveExecution(run, first, execution(2))).toEqual(execution(1));
      await files.reopen(run, [first], false);
      expect(await place.open().execution(run, first)).toEqual(execution(1));
      await files.reopen(run, [first], true);
      expect(await files.execution(run, first)).toBeNull();
    });
  });

  describe('notes', () => {
    const note = (id: string): NoteLine => ({
      ...{ kind: 'note', id, at: '2026-01-01T10:00:00.000Z', by: 'ann', about: first },
      ...{ text: 'why?', tags: ['odd'] },
    });
    const notes = (): Promise<readonly NoteLine[]> =>
      place.open().lines(run, notesFile, noteLineSchema);

    it('are there as they were added, whoever added them, also at once', async () => {
      expect(await notes()).toEqual([]);
      await files.addLine(run, notesFile, note('00000001'));
      await Promise.all(
        ['00000002', '00000003'].map((id) => place.open().addLine(run, notesFile, note(id))),
      );
      await files.addLine(run, notesFile, note('00000004'));
      const added = await notes();
      expect(added.map(({ id }) => id).sort()).toEqual([
        '00000001',
        '00000002',
        '00000003',
        '00000004',
      ]);
      expect(added[0]).toEqual(note('00000001'));
      expect(await files.lines(run, notesFile, noteLineSchema)).toEqual(added);
    });

    it('stay when their question is asked again', async () => {
      await files.saveEnd(run, first, exampleEnd(first), []);
      await files.publish(run, [exampleEnd(first)]);
      await files.addLine(run, notesFile, note('00000001'));
      await files.reopen(run, [first], true);
      expect(await keysIn(resultsFile)).toEqual([]);
      expect(await notes()).toEqual([note('00000001')]);
    });

    it('are kept apart from rulings, which stay as well', async () => {
      const ruling: RulingLine = {
        ...{ kind: 'ruling', id: '00000001', at: '2026-01-01T10:00:00.000Z', by: 'ann' },
        ...{ about: first, asking: 1, decision: 'exclude', reason: 'the disk was full' },
      };
      await files.addLine(run, rulingsFile, ruling);
      await files.saveEnd(run, first, exampleEnd(first), []);
      await files.reopen(run, [first], true);
      expect(await place.open().lines(run, rulingsFile, rulingLineSchema)).toEqual([ruling]);
      expect(await notes()).toEqual([]);
    });

    it('stay in the file where a later version has more to say', async () => {
      const later = { kind: 'reply', id: '00000001', to: '00000002' } as unknown as NoteLine;
      await files.addLine(run, notesFile, later);
      await place.open().addLine(run, notesFile, note('00000002'));
      expect(await place.open().lines(run, notesFile, z.json())).toEqual([later, note('00000002')]);
    });
  });

  describe('where nothing can be written', () => {
    it.each<[string, (files: RunFilesPort) => Promise<unknown>]>([
      ['the manifest', (files) => files.saveManifest(manifest)],
      ['a reply', (files) => files.saveReply(run, first, exampleReply(1, null))],
      [
        'an observation',
        (files) => files.saveObservation(run, first, exampleObservation(1, 'found')),
      ],
      ['what a judge said', (files) => files.saveJudgeReply(run, first, exampleJudgeReply('0', 1))],
      ['an end', (files) => files.saveEnd(run, first, exampleEnd(first), [])],
      ['a result', (files) => files.publish(run, [exampleEnd(first)])],
      [
        'a note',
        (files) =>
          files.addLine(run, notesFile, {
            kind: 'removal',
            id: '00000001',
            at: '2026-01-01T10:00:00.000Z',
            by: 'ann',
            note: '00000002',
          }),
      ],
      ['a reopened question', (files) => files.reopen(run, [first], false)],
    ])('%s may be tried again later', async (_name, save) => {
      await expect(save(place.unwritable())).rejects.toEqual(
        cannot('RunFilesUnavailable', /a-run/),
      );
    });
  });
}
