import { describe, expect, it } from 'vitest';
import { runFigures } from '../../../domain/runs/run-figures.js';
import { exampleEnd, sampleKey } from '../../support/runs/example-records.js';

const [first, second, third] = ['q1', 'q2', 'q3'].map((uuid) => exampleEnd(sampleKey(uuid)));
if (!first || !second || !third) throw new Error('three ends were made');

describe('runFigures', () => {
  it('puts results, scores and histories of a question together', () => {
    const status = runFigures(
      4,
      [{ ...first.result, turns: 4 }, second.result],
      [{ ...first.score, score: 1 }, second.score],
      [
        { ...sampleKey('q1'), historyBytes: 8_000, historyEvents: 50, actions: 25 },
        { ...sampleKey('q3'), historyBytes: 1_000, historyEvents: 10, actions: null },
      ],
    );
    expect(status.questions).toEqual([
      {
        scale: 'unit',
        uuid: 'q1',
        epoch: 1,
        outcome: 'answered',
        turns: 4,
        score: 1,
        historyBytes: 8_000,
        historyEvents: 50,
      },
      {
        scale: 'unit',
        uuid: 'q2',
        epoch: 1,
        outcome: 'answered',
        turns: 0,
        score: null,
        historyBytes: null,
        historyEvents: null,
      },
      {
        scale: 'unit',
        uuid: 'q3',
        epoch: 1,
        outcome: null,
        turns: 0,
        score: null,
        historyBytes: 1_000,
        historyEvents: 10,
      },
    ]);
    expect(status).toMatchObject({
      samples: 4,
      ended: 2,
      totals: { outcomes: { answered: 2 }, scores: { total: 1, scored: 1, unscored: 1 } },
    });
  });

  it('measures histories over questions that have ended only', () => {
    const status = runFigures(
      2,
      [{ ...first.result, turns: 4 }],
      [],
      [
        { ...sampleKey('q1'), historyBytes: 8_000, historyEvents: 50, actions: 25 },
        { ...sampleKey('q2'), historyBytes: 9_999, historyEvents: 99, actions: null },
      ],
    );
    expect(status).toMatchObject({
      historyBytes: 8_000,
      historyEvents: 50,
      historyBytesPerTurn: 2_000,
      actionsPerQuestion: 25,
    });
  });

  it('knows nothing of histories that Temporal has deleted', () => {
    expect(runFigures(1, [first.result], [first.score], [])).toMatchObject({
      historyBytes: null,
      historyEvents: null,
      historyBytesPerTurn: null,
      actionsPerQuestion: null,
    });
  });

  it('names questions in flight that have left nothing yet', () => {
    const { questions } = runFigures(2, [first.result], [], [], [sampleKey('q1'), sampleKey('q2')]);
    expect(questions.map(({ uuid, outcome }) => [uuid, outcome])).toEqual([
      ['q1', 'answered'],
      ['q2', null],
    ]);
  });

  it('tells the epochs of a question apart', () => {
    const again = exampleEnd(sampleKey('q1', 2));
    const { questions } = runFigures(
      2,
      [first.result, again.result],
      [{ ...again.score, score: 1 }],
      [],
    );
    expect(questions.map(({ epoch, score }) => [epoch, score])).toEqual([
      [1, null],
      [2, 1],
    ]);
  });
});
