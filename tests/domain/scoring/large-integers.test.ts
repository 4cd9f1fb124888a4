import { describe, expect, it } from 'vitest';
import { questionIdSchema } from '../../../domain/ids.js';
import { scoresToReuse } from '../../../domain/scoring/score-version.js';
import { exampleEnd, sampleKey } from '../../support/runs/example-records.js';
import {
  readCsvDataset,
  readOpenAiEvals,
  readPromptfoo,
} from '../../../domain/runs/imports/file-formats.js';
import { makeDataset } from '../../../domain/runs/imports/imported-question.js';
import { goldTexts } from '../../../domain/scoring/dataset-item.js';
import {
  readGolds,
  readPredictions,
  scorePrediction,
} from '../../../domain/scoring/predictions.js';

const right = '1413617112501850121';
const neighbour = '1413617112501850122';

/** The scores of two answers to a line of a dataset. */
function scoresOf(line: string, answers: readonly string[]): readonly (number | null)[] {
  const { items, problems } = readGolds(line);
  expect(problems).toEqual([]);
  const [item] = items;
  if (item === undefined) throw new Error('no item');
  return answers.map((answer) => {
    const read = readPredictions(
      `{"uuid":"${item.uuid}","answer":${answer}}`,
      new Set([item.uuid]),
    );
    expect(read.problems).toEqual([]);
    const [prediction] = read.predictions;
    if (prediction === undefined) throw new Error('no prediction');
    return scorePrediction(prediction, item, 'default').score;
  });
}

const line = (evaluator: string): string => `{"uuid":"q","question":"?","evaluator":${evaluator}}`;

describe('an integer beyond 2^53', () => {
  it.each([
    ['eval_int_exact_match', `{"gold":${right}}`, (answer: string) => answer],
    ['eval_string_exact_match', `{"gold":${right}}`, (answer: string) => answer],
    [
      'eval_structured_object_exact_match',
      `{"gold":{"ids":[${right}]}}`,
      (answer: string) => `{"ids":[${answer}]}`,
    ],
    [
      'eval_element_included',
      `{"gold":[1,${right}],"element_type":"int"}`,
      (answer: string) => answer,
    ],
    [
      'eval_element_list_included',
      `{"gold":[${right}],"element_type":"int"}`,
      (answer: string) => `[${answer}]`,
    ],
    [
      'eval_conjunction',
      `{"eval_func_list":["eval_int_exact_match"],"eval_kwargs_list":[{"gold":${right}}]}`,
      (answer: string) => `[${answer}]`,
    ],
  ])('is exact in %s', (name, options, write) => {
    const item = line(`{"eval_func":"${name}","eval_kwargs":${options}}`);
    for (const quoted of [(text: string) => text, (text: string) => JSON.stringify(text)]) {
      const answers = [right, neighbour].map((answer) => quoted(write(answer)));
      expect(scoresOf(item, answers)).toEqual([1, 0]);
    }
  });

  it('is shown with all digits', () => {
    const { items } = readGolds(
      line(`{"eval_func":"eval_int_exact_match","eval_kwargs":{"gold":${right}}}`),
    );
    expect(goldTexts(items[0]?.evaluator)).toEqual([right]);
  });

  it('is exact in imported files', () => {
    const comparison = { function: 'eval_int_exact_match', lowercase: false } as const;
    const structure = { function: 'eval_structured_object_exact_match', lowercase: false } as const;
    const promptfoo = `tests:\n- vars: {question: "?", n: 5}\n  assert:\n  - {type: equals, value: ${right}}\n`;
    for (const read of [
      readCsvDataset(`question,gold\n?,${right}\n`, { names: {}, separator: ',', comparison }),
      readOpenAiEvals(`{"input":"?","ideal":"[${right}]"}`, structure),
      readPromptfoo(promptfoo, { names: { question: 'question' }, keepUnscored: false }),
    ]) {
      const made = makeDataset(read);
      expect(made).toMatchObject({ kind: 'dataset', lines: [expect.stringContaining(right)] });
    }
    expect(
      makeDataset(
        readPromptfoo(promptfoo, { names: { question: 'question' }, keepUnscored: false }),
      ),
    ).toMatchObject({
      lines: [expect.stringContaining('"vars":{"n":5}')],
    });
  });
});

it('uses a verdict again whose gold is a large integer', () => {
  const item = {
    uuid: questionIdSchema.parse('q'),
    evaluator: { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 9007199254740993n } },
  };
  const version = {
    ...{ version: 1, scorer: 'default' as const, code: {} },
    ...{ judge: null, judging: null, scoredAt: null, turnwise: '0' },
  };
  const score = { ...exampleEnd(sampleKey('q')).score, scorer: 'eval_int_exact_match' };
  expect(scoresToReuse(version, [item], [[version, [score]]]).size).toBe(1);
});
