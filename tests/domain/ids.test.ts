import { describe, expect, it } from 'vitest';
import {
  ingestionWorkflowId,
  paperWorkflowId,
  parseQuestionWorkflowId,
  questionIdSchema,
  questionsPath,
  questionWorkflowId,
  runIdSchema,
  runWorkflowId,
  sampleName,
  storeNameSchema,
} from '../../domain/ids.js';
import { sampleKey } from '../support/runs/example-records.js';
import { testHome } from '../support/test-home.js';

const run = runIdSchema.parse('a-run.2');
const store = storeNameSchema.parse('papers');

const oddUuids = [
  ...[
    'HumanEval/0',
    'humaneval/0',
    'Q1',
    'q1',
    '~q1',
    '~~2',
    'q~047',
    'a b',
    'ä',
    'a\u0308',
    '問題 7',
  ],
  ...['..', '.', '.hidden', '-o', 'end.', '../../x', 'a\\b', 'q 2', 'q~e2', "it's", '%2f', '😀'],
  ...['x'.repeat(300), 'X'.repeat(300), `${'x'.repeat(299)}y`],
];

describe('the name of a sample in files', () => {
  const all = [...oddUuids, '語'.repeat(300), `${'語'.repeat(299)}a`, '語'.repeat(512)];
  const samples = all.flatMap((uuid) => [sampleKey(uuid), sampleKey(uuid, 2), sampleKey(uuid, 22)]);

  it('is one for each, also where capital letters are no different, and neither too long nor odd', () => {
    const names = samples.map(sampleName);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(samples.length);
    for (const name of names) {
      expect(name).toMatch(/^[a-z0-9_~][a-z0-9._~-]{0,199}$/);
      expect(name).not.toMatch(/\.$/);
    }
  });

  it.each([
    ['q1', 'q1'],
    ['Q1', '~q1'],
    ['HumanEval/0', '~human~eval~0470'],
    ['../x', '~046.~047x'],
    ['de8d9b7f-4117', 'de8d9b7f-4117'],
  ])('of %s is %s', (uuid, name) => {
    expect(sampleName(sampleKey(uuid))).toBe(name);
  });
});

describe('the id of a question’s workflow', () => {
  it.each([
    ...[sampleKey('q1'), sampleKey('de8d9b7f-4117', 12), sampleKey('a.b_c-d', 3)],
    ...oddUuids.map((uuid) => sampleKey(uuid, 2)),
  ])('leads back to %j', (key) => {
    const id = questionWorkflowId(testHome, run, key);
    expect(parseQuestionWorkflowId(id)).toEqual(key);
    expect(id).toMatch(/^[a-z0-9/._~-]{1,1000}$/);
  });

  it('leads nowhere for a uuid that is too long for it, and differs from that of others', () => {
    const [one, other] = ['1', '2'].map((end) =>
      questionWorkflowId(testHome, run, sampleKey(`${'語'.repeat(400)}${end}`)),
    );
    expect(one).not.toBe(other);
    expect(one).toMatch(/^[a-z0-9/._~-]{1,1000}$/);
    expect(parseQuestionWorkflowId(String(one))).toBeNull();
  });

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
      ['1', 'x'.repeat(512), ...oddUuids],
      ['', ' a', 'a ', 'a\nb', 'a\u0000', '\ud800', 'x'.repeat(513)],
    ],
    ['a store', storeNameSchema, ['a', 'a_1'], ['', 'A', '1a', 'a-b', 'x'.repeat(41)]],
  ])('of %s are taken, or are refused', (_what, schema, good, bad) => {
    expect(good.filter((name) => !schema.safeParse(name).success)).toEqual([]);
    expect(bad.filter((name) => schema.safeParse(name).success)).toEqual([]);
  });
});

it('names the list of a run’s questions in the Temporal UI', () => {
  const path = questionsPath('default', testHome, run);
  const query = new URL(path, 'http://localhost').searchParams.get('query');
  expect(query).toBe(
    `TurnwiseRun = 'a-run.2' AND WorkflowId STARTS_WITH '${testHome}/run/a-run.2/q/'`,
  );
});
