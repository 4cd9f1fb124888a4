import { describe, expect, it } from 'vitest';
import { questionInput, questionSettings } from '../../../domain/runs/question-ref.js';
import { emptyRun } from '../../../domain/runs/run-state.js';
import { exampleQuestionSettings, sampleKey } from '../../support/runs/example-records.js';

describe('what questions are started with', () => {
  const settings = { ...exampleQuestionSettings, store: 'papers', judges: 2 };

  it('is nothing of the state that a run carries', () => {
    expect(questionSettings({ ...settings, ...{ state: emptyRun, concurrency: 3 } })).toEqual(
      settings,
    );
  });

  it('names neither model nor method: they are in the files of the run', () => {
    const { run, maxTurns, modelTimeoutMs, modelAttempts } = settings;
    const sample = { ...sampleKey('a', 2), question: 'Why?', tags: ['x'], asking: 3 };
    expect(questionInput(settings, sample)).toEqual({
      ...{ run, maxTurns, modelTimeoutMs, modelAttempts, judges: 2 },
      ...sampleKey('a', 2),
      question: 'Why?',
      asking: 3,
    });
  });
});
