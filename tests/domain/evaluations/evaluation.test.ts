import { describe, expect, it } from 'vitest';
import {
  evaluationFileSchema,
  type EvaluationFile,
} from '../../../domain/evaluations/evaluation-file.js';
import {
  readEvaluation,
  type Evaluation,
  type EvaluationReading,
} from '../../../domain/evaluations/evaluation.js';
import { evaluationNameSchema, runIdSchema } from '../../../domain/ids.js';

const smallest = { datasets: ['data/questions.jsonl'], methods: ['classic_rag'], models: ['m'] };

const read = (changes: object): EvaluationReading =>
  readEvaluation(
    evaluationFileSchema.parse({ ...smallest, ...changes }),
    evaluationNameSchema.parse('eval'),
  );

function evaluationOf(changes: object = {}): Evaluation {
  const reading = read(changes);
  if (reading.kind === 'problem') throw new Error(reading.message);
  return reading.evaluation;
}

const runsOf = (changes: object): readonly string[] =>
  evaluationOf(changes).cells.map(({ run }) => run);

describe('the cells of an evaluation', () => {
  it('are every dataset by every method with every model, in the order of the file', () => {
    const file: Partial<EvaluationFile> = {
      datasets: ['a.jsonl', 'b.jsonl'],
      methods: ['classic_rag', 'hybrid_react'],
      models: ['m', { name: 'n' }],
    };
    expect(runsOf(file)).toEqual([
      'eval-a-classic_rag-m',
      'eval-a-classic_rag-n',
      'eval-a-hybrid_react-m',
      'eval-a-hybrid_react-n',
      'eval-b-classic_rag-m',
      'eval-b-classic_rag-n',
      'eval-b-hybrid_react-m',
      'eval-b-hybrid_react-n',
    ]);
  });

  it('keep their names when a model, a method or a dataset is added', () => {
    const before = runsOf({});
    const added = { datasets: ['x.jsonl', ...smallest.datasets], models: ['a', 'm'] };
    expect(runsOf({ ...added, methods: ['hybrid_react', 'classic_rag'] })).toEqual(
      expect.arrayContaining([...before]),
    );
  });

  it('may have a method of a plugin, where the file names one', () => {
    const methods = ['mine', 'classic_rag'];
    expect(runsOf({ methods, plugins: ['mine.ts'] })).toEqual([
      'eval-questions-mine-m',
      'eval-questions-classic_rag-m',
    ]);
    expect(read({ methods: ['classic_rag', 'mine'] })).toMatchObject({
      kind: 'problem',
      path: ['methods', 1],
      message: expect.stringMatching(/^must be one of hybrid_react, /) as string,
      unknown: { word: 'mine' },
    });
  });

  it('have names that are run ids, whatever models and datasets are called', () => {
    const long = `org/${'x'.repeat(100)}`;
    const names = runsOf({
      name: 'E',
      datasets: ['../größe & more.jsonl'],
      models: ['openai/gpt-4o:latest', long, `${long}y`],
    });
    expect(names[0]).toBe('E-gr-e-more-classic_rag-openai-gpt-4o-latest');
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(runIdSchema.parse(name).length).toBeLessThanOrEqual(80);
    expect(names[1]).toMatch(/^E-gr-e-more-classic_rag-org-x+-[0-9a-f]{8}$/);
  });

  it('take stores, parts and labels of their datasets, and settings of their models', () => {
    const { cells, budget, epochs } = evaluationOf({
      store: 'papers',
      datasets: ['a.jsonl', { path: 'b.jsonl', label: 'B', store: 'other', sample: 3 }],
      models: [{ name: 'm', label: 'warm', temperature: 1 }],
      budget: { tokens: 5000 },
      epochs: 2,
    });
    expect({ budget, epochs }).toEqual({ budget: { usd: null, tokens: 5000 }, epochs: 2 });
    expect(cells).toMatchObject([
      {
        run: 'eval-a-classic_rag-warm',
        dataset: { label: 'a', store: 'papers', part: { kind: 'all' } },
        model: { name: 'm', label: 'warm', temperature: 1 },
      },
      {
        run: 'eval-B-classic_rag-warm',
        dataset: { label: 'B', store: 'other', part: { kind: 'sample', count: 3, seed: 1 } },
      },
    ]);
  });

  it.each<[string, object, (string | number)[], RegExp]>([
    ['a dataset twice', { datasets: ['a.jsonl', 'b/a.jsonl'] }, ['datasets', 1], /a once more/],
    ['a method twice', { methods: ['classic_rag', 'classic_rag'] }, ['methods', 1], /name it once/],
    ['a model twice', { models: ['m', { name: 'm' }] }, ['models', 1], /another `label`/],
    [
      'models whose names become one',
      { models: ['a/m', 'a:m'] },
      ['models'],
      /two runs the name eval-questions-classic_rag-a-m \(questions by classic_rag with a\/m; .*a:m\)/,
    ],
    ['names that differ by case', { models: ['M', 'm'] }, ['models'], /two runs the name/],
    [
      'a limit and a sample',
      { datasets: [{ path: 'a.jsonl', limit: 2, sample: 2 }] },
      ['datasets', 0, 'sample'],
      /cannot be together with limit/,
    ],
    [
      'a seed without a sample',
      { datasets: [{ path: 'a.jsonl', seed: 2 }] },
      ['datasets', 0, 'seed'],
      /needs a sample/,
    ],
  ])('are refused for %s', (_, changes, path, message) => {
    const reading = read(changes);
    expect(reading).toMatchObject({ kind: 'problem', path });
    expect(reading.kind === 'problem' && reading.message).toMatch(message);
  });
});
