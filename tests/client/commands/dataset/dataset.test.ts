import { CommandLine } from '../../../../client/commands/shared/command-line.js';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { registerDataset } from '../../../../client/commands/dataset/dataset.js';
import { datasetItemSchema } from '../../../../domain/scoring/dataset-item.js';
import { readDataset } from '../../../../domain/runs/dataset.js';
import { scoreAnswer } from '../../../../domain/scoring/score-answer.js';
import { captureOutput } from '../../../support/commands/capture-output.js';
import { hostileText } from '../../../support/runs/recorded-run.js';

let folder = '';
const output = captureOutput();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-import-'));
});
const file = (): string => join(folder, 'file');
const out = (): string => join(folder, 'deep', 'dataset.jsonl');

/** The dataset that is made of a text. */
async function importText(format: string, text: string, ...args: readonly string[]) {
  writeFileSync(file(), text);
  const program = new CommandLine('turnwise');
  registerDataset(program);
  for (const command of program.commands[0]?.commands ?? []) {
    command.exitOverride().configureOutput({ writeErr: () => undefined });
  }
  const flags = ['--out', out(), ...args];
  await program.parseAsync(['dataset', 'import', format, file(), ...flags], { from: 'user' });
  const dataset = readDataset(readFileSync(out(), 'utf8'));
  if (dataset.kind === 'problems') throw new Error(dataset.problems.join('\n'));
  return dataset.items;
}

const jsonl = (...values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

describe('samples of OpenAI Evals', () => {
  it('become questions with their ideals for golds', async () => {
    const items = await importText(
      'openai-evals',
      jsonl(
        {
          input: [
            { role: 'system', content: 'One word.' },
            { role: 'user', content: 'Which model?' },
          ],
          ideal: 'BART',
          topic: 'models',
        },
        { input: 'Yes or no?', ideal: ['yes', 'Yes.'] },
        { input: 'Why?' },
      ),
      '--lowercase',
    );
    expect(items).toMatchObject([
      {
        question: 'One word.\n\nWhich model?',
        topic: 'models',
        evaluator: {
          eval_func: 'eval_string_exact_match',
          eval_kwargs: { gold: 'BART', lowercase: true },
        },
      },
      {
        question: 'Yes or no?',
        evaluator: {
          eval_func: 'eval_element_included',
          eval_kwargs: { gold: ['yes', 'Yes.'], lowercase: true },
        },
      },
      { question: 'Why?' },
    ]);
    expect(items[2]).not.toHaveProperty('evaluator');
    expect(output.stdout).toBe(`3 questions written to ${out()}, 1 of which nothing can score\n`);
  });

  it.each([
    ['eval_string_exact_match', ['no', 'No.'], ['no', 'No.'], ['yes', '']],
    ['eval_string_fuzzy_match', ['a long answer', 'another'], ['a long answer!'], ['none']],
    ['eval_int_exact_match', ['4', '5'], ['4', '5'], ['6', '45']],
    ['eval_float_exact_match', ['0.1234', '2'], ['0.1234', '2.0'], ['0.12', '3']],
    ['eval_structured_object_exact_match', ['[1, 2]', '{"a": 1}'], ['[1,2]'], ['[2, 1]']],
  ] as const)(
    'are right where any of several golds is met: %s',
    async (name, ideal, right, wrong) => {
      const [item] = await importText(
        'openai-evals',
        jsonl({ input: 'Which?', ideal }),
        ...['--evaluator', name],
      );
      const { evaluator } = datasetItemSchema.parse(item);
      const scoresOf = (answers: readonly string[]): readonly unknown[] =>
        answers.map((answer) => evaluator && scoreAnswer({ answer, evaluator, mode: 'default' }));
      for (const verdict of scoresOf(right)) expect(verdict).toMatchObject({ score: 1 });
      for (const verdict of scoresOf(wrong)) expect(verdict).toMatchObject({ score: 0 });
    },
  );

  it('go to a judge with all of their golds, or are refused where a function takes one', async () => {
    const sample = jsonl({ input: 'Why?', ideal: ['so', 'thus'] });
    const judged = await importText(
      'openai-evals',
      sample,
      ...['--evaluator', 'eval_reference_answer_with_llm'],
    );
    expect(judged).toMatchObject([
      {
        evaluator: {
          eval_func: 'eval_candidate_reference_answer_with_llm',
          eval_kwargs: { candidate_reference_answers: ['so', 'thus'], question: 'Why?' },
        },
      },
    ]);
    const truth = jsonl({ input: 'Is it?', ideal: ['true', 'false'] });
    await expect(
      importText('openai-evals', truth, ...['--evaluator', 'eval_bool_exact_match']),
    ).rejects.toThrow(/line 1: gold: there are 2, and eval_bool_exact_match compares with one/);
  });

  it('keep their own uuid, and lose no other key', async () => {
    const own = jsonl({ uuid: 'mine', input: 'Why?', ideal: 'so' });
    expect(await importText('openai-evals', own)).toMatchObject([{ uuid: 'mine' }]);
    await expect(importText('openai-evals', own + own)).rejects.toThrow(/uuid mine stands at/);
    const other = jsonl({ question: 'What else?', input: 'Why?', ideal: 'so' });
    await expect(importText('openai-evals', other)).rejects.toThrow(
      /line 1: question would be lost/,
    );
  });

  it('are written out with their roles where they are conversations', async () => {
    const [item] = await importText(
      'openai-evals',
      jsonl({
        input: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: '1 + 1?' },
          { role: 'assistant', content: '2' },
          { role: 'user', content: [{ type: 'text', text: 'And 2 + 2?' }] },
        ],
        ideal: '4',
      }),
      '--evaluator',
      'eval_int_exact_match',
    );
    expect(item).toMatchObject({
      question: 'Be brief.\n\nuser: 1 + 1?\n\nassistant: 2\n\nuser: And 2 + 2?',
      evaluator: { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 4 } },
    });
  });

  it('have ids that follow from their text, also where it is the same', async () => {
    const same = { input: 'Again?', ideal: 'yes' };
    const ids = (await importText('openai-evals', jsonl(same, same))).map(({ uuid }) => uuid);
    expect(new Set(ids).size).toBe(2);
    const other = { input: 'Another?', ideal: 'no' };
    const more = await importText('openai-evals', jsonl(other, same, same));
    expect(more.slice(1).map(({ uuid }) => uuid)).toEqual(ids);
  });
});

describe('test cases of promptfoo', () => {
  const configuration = `
prompts: ['{{question}}']
defaultTest:
  vars: {language: English}
tests:
  - description: a number
    vars: {question: How many?, expected: "20"}
    assert:
      - type: equals
        value: '{{expected}}'
  - vars: {question: How many not?}
    assert: [{type: not-equals, value: '21'}]
  - vars: {question: Why?}
    assert: [{type: factuality, value: Because., metric: truth}]
  - vars: {question: Which?}
`;

  it('become questions, and their assertions evaluators', async () => {
    const items = await importText('promptfoo', configuration);
    expect(items).toMatchObject([
      {
        question: 'How many?',
        description: 'a number',
        vars: { language: 'English', expected: '20' },
        evaluator: {
          eval_func: 'eval_string_exact_match',
          eval_kwargs: { gold: '20' },
        },
      },
      {
        evaluator: {
          eval_func: 'eval_negation',
          eval_kwargs: { eval_func: 'eval_string_exact_match', eval_kwargs: { gold: '21' } },
        },
      },
      {
        evaluator: {
          eval_func: 'eval_reference_answer_with_llm',
          eval_kwargs: { reference_answer: 'Because.', question: 'Why?' },
        },
      },
      { question: 'Which?' },
    ]);
  });

  it('may be a list by themselves, and JSON, and call the question as they like', async () => {
    const tests = [
      { vars: { topic: 'x', ask: 'How?' }, assert: [{ type: 'equals', value: { a: [1] } }] },
    ];
    const [item] = await importText(
      'promptfoo',
      JSON.stringify(tests, null, 1),
      '--field',
      'question=ask',
    );
    expect(item).toMatchObject({
      question: 'How?',
      vars: { topic: 'x' },
      evaluator: {
        eval_func: 'eval_structured_object_exact_match',
        eval_kwargs: { gold: { a: [1] } },
      },
    });
  });

  const strange = `- vars: {question: A?}
  assert: [{type: contains, value: x}, {type: equals, value: x, weight: 2}]
- vars: {question: B?}
  assert: [{type: equals, value: file://x.txt}, {type: llm-rubric, value: polite}]
- vars: {question: C?}
  assert: [{type: equals, value: '{{ question | upper }}'}]
- vars: {question: D?}
  assert: [{type: equals, value: '20'}, {type: not-equals, value: '21'}]
`;

  it('are refused by test and line where no evaluator does what they do', async () => {
    await expect(importText('promptfoo', strange)).rejects.toThrow(
      [
        `${file()}: test 1 (line 1): no evaluator does what promptfoo's contains, equals with weight does; --keep-unscored imports the question without one`,
        `${file()}: test 2 (line 3): no evaluator does what promptfoo's equals with a value from a file, llm-rubric does; --keep-unscored imports the question without one`,
        `${file()}: test 3 (line 5): no evaluator does what promptfoo's equals with template does; --keep-unscored imports the question without one`,
        `${file()}: test 4 (line 7): no evaluator does what promptfoo's equals and not-equals together does; --keep-unscored imports the question without one`,
      ].join('\n'),
    );
    expect(existsSync(out())).toBe(false);
  });

  it('are kept without a score where that is wanted, with the reason', async () => {
    const items = await importText('promptfoo', strange, '--keep-unscored');
    expect(items).toHaveLength(4);
    expect(items[0]).toMatchObject({
      unscored_because: "no evaluator does what promptfoo's contains, equals with weight does",
    });
    expect(items[0]).not.toHaveProperty('evaluator');
  });
});

describe('CSV', () => {
  it('becomes questions, columns by their names, the others kept', async () => {
    const items = await importText(
      'csv',
      // A spreadsheet ends with rows of empty cells.
      'uuid,question,gold,tags,answer_format,level\nq1,How many?,20,a; b,an integer,3\nq2,"Why,\n""so""?",,"[""x;y""]",,\n,,,,,\n',
      '--evaluator',
      'eval_int_exact_match',
    );
    expect(items).toEqual([
      expect.objectContaining({
        uuid: 'q1',
        question: 'How many?',
        tags: ['a', 'b'],
        answer_format: 'an integer',
        level: '3',
        evaluator: { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 20 } },
      }),
      expect.objectContaining({ uuid: 'q2', question: 'Why,\n"so"?', tags: ['x;y'] }),
    ]);
    expect(items[1]).not.toHaveProperty('level');
  });

  it('may call its columns as it likes, and separate them otherwise', async () => {
    const [item] = await importText(
      'csv',
      'Frage;Lösung\nWie?;so\n',
      ...['--separator', ';', '--field', 'question=Frage', '--field', 'gold=Lösung'],
    );
    expect(item).toMatchObject({
      question: 'Wie?',
      evaluator: { eval_kwargs: { gold: 'so' } },
    });
    expect(item).not.toHaveProperty('Frage');
  });

  it('keeps any text as it is', async () => {
    const quoted = `"${hostileText.replaceAll('"', '""')}"`;
    const [item] = await importText('csv', `question,gold\n${quoted},${quoted}\n`);
    expect(item).toMatchObject({
      question: hostileText,
      evaluator: { eval_kwargs: { gold: hostileText } },
    });
  });
});

it.each([
  [
    'openai-evals',
    jsonl({ input: 'a', ideal: 'b' }, { ideal: 'b' }, { input: 'c', ideal: 3 }),
    ['line 2: input: must be a text', 'line 3: ideal: must be a text'],
  ],
  [
    'openai-evals',
    `{"input": "a"\n${JSON.stringify({ input: [{ role: 'user', content: [{ type: 'image_url' }] }] })}\n`,
    ['line 1: is not a JSON object', 'line 2: input: must be a text'],
  ],
  ['openai-evals', '\n', ['it holds no questions']],
  ['promptfoo', 'tests: [\n', ['line 2: ']],
  ['promptfoo', 'prompts: [a]\n', ['line 1: there is no list of tests in it']],
  ['promptfoo', '- vars: {a: b, c: d}\n', ['test 1 (line 1): there is no variable question']],
  [
    'promptfoo',
    '- vars: {question: [a, b]}\n',
    ['test 1 (line 1): the variable question is a list'],
  ],
  ['promptfoo', '- vars: {question: file://a.txt}\n', ['test 1 (line 1): the question is in']],
  ['promptfoo', '- assert: 1\n', ['test 1 (line 1): assert: Invalid input']],
  ['csv', '', ['it has no header']],
  ['csv', 'a,b\n1,2\n', ['line 1: there is no column question, but a, b']],
  ['csv', 'question,gold,gold\n', ['line 1: there are two columns gold']],
  [
    'csv',
    'question,uuid\na,x\ty\nb\nc,z\nd,z\n,w\n',
    [
      'line 3: it has 1 cells, and the header 2',
      'line 2: uuid: must be',
      'line 5: uuid z stands at line 4 already',
      'line 6: question: must not be empty',
    ],
  ],
])('%s that is flawed is refused, every flaw by its place: %j', async (format, text, problems) => {
  const refusal = await importText(format, text).then(
    () => '',
    (error: unknown) => (error instanceof Error ? error.message : ''),
  );
  expect(refusal.split('\n')).toEqual(
    problems.map((problem) => expect.stringContaining(`${file()}: ${problem}`) as string),
  );
  expect(readdirSync(folder)).toEqual(['file']);
});

it.each([
  ['eval_int_exact_match', 'x'],
  ['eval_float_exact_match', 'about 3'],
  ['eval_bool_exact_match', 'maybe'],
  ['eval_structured_object_exact_match', '[1, 2'],
])('a gold that %s cannot compare is named by its line', async (evaluator, gold) => {
  const text = `question,gold\nA?,"${gold}"\n`;
  await expect(importText('csv', text, '--evaluator', evaluator)).rejects.toThrow(
    `line 2: gold: ${JSON.stringify(gold)} is not what ${evaluator} compares`,
  );
});
