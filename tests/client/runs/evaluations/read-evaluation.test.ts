// cspell:ignore temprature
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEvaluationFile } from '../../../../client/runs/evaluations/read-evaluation.js';
import { UserError } from '../../../../domain/user-error.js';

const good = 'datasets: [q.jsonl]\nmethods: [trivial_question_only]\nmodels: [a]\n';

function fileOf(text: string, name = 'mine.yaml'): string {
  const path = join(mkdtempSync(join(tmpdir(), 'turnwise-evaluation-')), name);
  writeFileSync(path, text);
  return path;
}

describe('an evaluation file', () => {
  it('names the evaluation where it says nothing else', () => {
    expect(readEvaluationFile(fileOf(good)).name).toBe('mine');
    expect(readEvaluationFile(fileOf(`${good}name: other\n`)).name).toBe('other');
  });

  it.each<[string, string, RegExp]>([
    [
      'a concurrency of none',
      `${good}concurrency: 0\n`,
      /line 4: concurrency must be auto, or a whole number from 1 to 2000$/,
    ],
    [
      'an unknown concurrency',
      `${good}concurrency: many\n`,
      /line 4: concurrency must be auto, or a whole number/,
    ],
    [
      'a mistyped option',
      `${good}run:\n  maxTurn: 3\n`,
      /line 5: run\.maxTurn is no setting \(did you mean maxTurns\?\)$/,
    ],
    [
      'a mistyped setting of a model',
      good.replace('[a]', '[{ name: a, temprature: 1 }]'),
      /line 3: models\[0\]\.temprature is no setting \(did you mean temperature\?\)$/,
    ],
    [
      'a model without a name',
      good.replace('[a]', '[{ label: a }]'),
      /models\[0\]\.name is missing/,
    ],
    [
      'an option of another kind',
      `${good}run: { strict: maybe }\n`,
      /run\.strict must be true or false/,
    ],
  ])('is refused with its line for %s', (_, text, message) => {
    const read = (): unknown => readEvaluationFile(fileOf(text));
    expect(read).toThrow(UserError);
    expect(read).toThrow(message);
  });

  it('needs a name where that of the file cannot be one', () => {
    expect(() => readEvaluationFile(fileOf(good, 'größe.yaml'))).toThrow(
      /line 1: name is missing, and the name of the file cannot be that of an evaluation$/,
    );
  });
});
