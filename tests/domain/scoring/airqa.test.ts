import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { evaluatorSchema } from '../../../domain/scoring/dataset-item.js';
import { str, pythonFromJson } from '../../../domain/formats/python/value.js';
import type { ExactJson } from '../../../domain/formats/json.js';
import type { Judge } from '../../../domain/scoring/judging/judge-request.js';
import { judgeAnswer } from '../../../domain/scoring/score-answer.js';
import { goldAnswer } from '../../support/runs/gold-answer.js';

const file = '../shared/data/airqa/test_data_553.jsonl';
const itemSchema = z.object({ uuid: z.string(), evaluator: evaluatorSchema });
const asPython = (gold: ExactJson): string => str(pythonFromJson(gold));
const asJson = (gold: ExactJson): string =>
  typeof gold === 'string' ? gold : JSON.stringify(gold);

/** One that has agreed to everything. */
const agreeing: Judge = {
  structured: false,
  tries: 1,
  repliesTo: () => [{ text: '```txt\nTrue\n```', cutOff: false }],
};

it.skipIf(!existsSync(file)).each([
  ['strict', 'Python', asPython, ['bb6ffb6d', 'de8d9b7f']],
  [
    'strict',
    'JSON',
    asJson,
    ['bb6ffb6d', 'c50576c6', 'de8d9b7f', 'ec05c8e8', 'efb108ff', 'f1adf502'],
  ],
  ['default', 'Python', asPython, []],
  ['default', 'JSON', asJson, []],
] as const)(
  'gives AirQA’s own golds full marks under a judge that agrees, %s, as %s text (skipped without that file)',
  (mode, _, text, wrong) => {
    const items = readFileSync(file, 'utf8').trim().split('\n');
    const failed = items
      .map((line) => itemSchema.parse(JSON.parse(line)))
      .filter(({ evaluator }) => {
        const answer = text(goldAnswer(evaluator));
        const finding = judgeAnswer({ answer, evaluator, mode, judge: agreeing });
        expect(finding.kind).not.toBe('open');
        return finding.kind === 'scored' && finding.score < 1;
      });
    expect(failed.map(({ uuid }) => uuid.slice(0, 8)).sort()).toEqual(wrong);
  },
);
