import { describe, expect, it } from 'vitest';
import {
  ingestionWorkflowId,
  paperWorkflowId,
  parseQuestionWorkflowId,
  questionIdSchema,
  questionWorkflowId,
  runIdSchema,
  runWorkflowId,
  storeNameSchema,
} from '../../domain/ids.js';
import { sampleKey } from '../support/runs/example-records.js';
import { testHome } from '../support/test-home.js';

const run = runIdSchema.parse('a-run.2');
const store = storeNameSchema.parse('papers');

describe('the id of a question’s workflow', () => {
  it.each([sampleKey('q1'), sampleKey('de8d9b7f-4117', 12), sampleKey('a.b_c-d', 3)])(
    'leads back to %j',
    (key) => {
      expect(parseQuestionWorkflowId(questionWorkflowId(testHome, run, key))).toEqual(key);
    },
  );

  it.each([
    runWorkflowId(testHome, run),
    ingestionWorkflowId(testHome, store),
    paperWorkflowId(testHome, store, 'a'.repeat(64)),
    'h/run/x/q/y/e/0',
    'h/run/x/q/y/e/1/z',
    'h/run/x/q/../e/1',
    'run/x/q/y/e/1',
    '',
  ])('is not %j', (id) => {
    expect(parseQuestionWorkflowId(id)).toBeNull();
  });
});

describe('names from outside', () => {
  it.each([
    [
      'a run',
      runIdSchema,
      ['a', 'A.b_c-1', 'x'.repeat(80)],
      ['', '.a', 'a/b', 'ä', 'x'.repeat(81)],
    ],
    [
      'a question',
      questionIdSchema,
      ['1', 'x'.repeat(128)],
      ['', '-a', '../x', 'a b', 'x'.repeat(129)],
    ],
    ['a store', storeNameSchema, ['a', 'a_1'], ['', 'A', '1a', 'a-b', 'x'.repeat(41)]],
  ])('of %s can name a file, or are refused', (_what, schema, good, bad) => {
    expect(good.filter((name) => !schema.safeParse(name).success)).toEqual([]);
    expect(bad.filter((name) => schema.safeParse(name).success)).toEqual([]);
  });
});
