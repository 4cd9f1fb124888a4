import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  onCommonQuestions,
  readAnswers,
  type AgentAnswers,
  type AnswerRecord,
} from '../../../../domain/runs/database-qa/answer-record.js';
import {
  databaseTables,
  validQueryBins,
} from '../../../../domain/runs/database-qa/database-tables.js';
import { datasetFigures } from '../../../../domain/runs/database-qa/agent-figures.js';
import { agentAnswers, answerRecord } from '../../../support/runs/answer-records.js';

describe('Table 1', () => {
  const columns = (count: number) => Array.from({ length: count });
  const databases = [
    { tables: [{ rows: 10, columns: columns(3) }] },
    {
      tables: [
        { rows: 4, columns: columns(2) },
        { rows: 20, columns: columns(8) },
      ],
    },
  ];

  it('counts questions, words of gold answers and what databases hold', () => {
    const figures = datasetFigures(
      [
        { category: 'conclusive', referenceAnswer: 'They do.' },
        { category: 'conclusive', referenceAnswer: 'No, they never did.' },
        { category: 'interpretive', referenceAnswer: 'It depends.' },
        { category: 'interpretive' },
        {},
      ],
      databases,
    );
    expect(figures).toEqual({
      size: 5,
      conclusive: 2,
      interpretive: 2,
      withoutCategory: 1,
      referenceWords: { conclusive: 3, interpretive: 2 },
      databases: 2,
      tables: 1.5,
      columns: { perTable: 3, perDatabase: 6.5 },
      records: { perTable: 10, perDatabase: 17 },
    });
  });

  it('is null where nothing is known', () => {
    expect(datasetFigures([{}], [])).toMatchObject({
      referenceWords: { conclusive: null, interpretive: null },
      tables: null,
      columns: { perTable: null, perDatabase: null },
    });
  });
});

const mode = (
  method: AnswerRecord['method'],
  verdicts: Readonly<Record<string, number | string>>,
) =>
  agentAnswers(
    Object.entries(verdicts).map(([uuid, verdict]) =>
      answerRecord({
        uuid,
        method,
        verdict,
        queries: method === 'no-interaction' ? '' : 'r',
        category: uuid.startsWith('c') ? 'conclusive' : 'interpretive',
        ...(verdict === 'context-overflow' && { outcome: 'context-overflow', verdict: null }),
      }),
    ),
    method,
  );

describe('Table 3', () => {
  const agents = [
    mode('no-interaction', { c1: 0, c2: 1, c3: 'context-overflow', c4: 0, i1: 2, i2: 4 }),
    mode('sequential', { c1: 1, c2: 1, c3: 1, c4: 'judge-unreadable', i1: 3, i2: 3 }),
    mode('iterative', { c1: 0, i9: 5 }),
  ];
  const { table3, modes } = databaseTables(agents);

  it('is over the items that both agents completed', () => {
    expect(table3.map(({ method, baseline }) => [baseline.method, method])).toEqual([
      ['no-interaction', 'sequential'],
      ['no-interaction', 'iterative'],
    ]);
    expect(table3[0]).toMatchObject({
      conclusive: { common: 3, scored: 2, baselineMatch: 0.5, match: 1, difference: 0.5 },
      interpretive: { common: 2, scored: 2, baselineMatch: 3, match: 3, difference: 0 },
    });
  });

  it('has the interval of the paired difference, none for a single item, and nulls without common items', () => {
    const interval = table3[0]?.conclusive.interval;
    // Student's t of two questions: 0.5 ± 12.7 × 0.5, within what a difference can be.
    expect(interval).toEqual({ low: -1, high: 1 });
    expect(table3[1]).toMatchObject({
      conclusive: { common: 1, difference: 0, interval: null },
      interpretive: { common: 0, baselineMatch: null, difference: null, interval: null },
    });
  });

  it('stands beside the other pairs of modes', () => {
    expect(modes).toMatchObject([
      { method: 'iterative', baseline: { method: 'sequential' }, conclusive: { difference: -1 } },
    ]);
  });

  it('pairs modes of one model that its provider names in two ways', () => {
    const [guess, ...others] = agents.map(({ agent, answers }, index) => ({
      agent: { ...agent, model: `snapshot ${index}`, configured: 'a-model' },
      answers,
    }));
    if (guess === undefined) throw new Error('there are agents');
    expect(databaseTables([guess, ...others]).table3).toHaveLength(table3.length);
  });

  it('pairs only modes of the same model', () => {
    const other = agentAnswers([answerRecord({ uuid: 'c1', model: 'other' })]);
    expect(databaseTables([...agents.slice(0, 1), other]).table3).toEqual([]);
  });
});

describe('Table 4 and Fig. 5', () => {
  const agents = [
    agentAnswers([
      answerRecord({ uuid: 'c1', queries: '', panels: { IP: 'III/III', IS: 'PPI/PPP' } }),
      answerRecord({ uuid: 'c2', panels: { IP: 'PPP/PPI', IS: 'P--/---' } }),
      answerRecord({ uuid: 'o', category: null, verdict: null, panels: { IS: 'III/III' } }),
    ]),
  ];
  const { table4, panelWorth, figure5 } = databaseTables(agents);

  it('have a row for each sub-task that was reviewed', () => {
    expect(table4).toMatchObject([
      { subTask: 'IP', reviewed: 2, unreviewed: 0, outcomeRate: 0.5, withoutInteraction: 1 },
      { subTask: 'IS', reviewed: 2, unreviewed: 1, outcomeRate: 0.5, withoutInteraction: 1 },
    ]);
    expect(figure5).toMatchObject([
      { subTask: 'IP', panels: 2, rate: 0.5 },
      { subTask: 'IS', panels: 2, rate: 0.5 },
    ]);
  });

  it('stand beside what the panels are worth', () => {
    expect(panelWorth).toMatchObject([
      { subTask: 'IP', ownModel: { reviewers: false, metaReviewers: false } },
      { subTask: 'IS', orderCheck: null },
    ]);
  });
});

describe('Fig. 3', () => {
  const guess = agentAnswers(
    [1, 0, 0, 0].map((verdict, at) => answerRecord({ uuid: `c${at}`, queries: '', verdict })),
    'guess',
  );
  const asks = agentAnswers([answerRecord({ uuid: 'c1', verdict: 0 })], 'asks');
  const sees = mode('no-interaction', { c1: 1 });

  it('has the agent that hardly questions its database as the guess baseline', () => {
    const { baseline, agents } = databaseTables([asks, guess]).figure3;
    expect(agents.map(({ run, conclusive }) => [run, conclusive.mean])).toEqual([
      ['asks', 0],
      ['guess', 0.25],
    ]);
    expect(baseline).toMatchObject({ run: 'guess', validQueries: 0, conclusive: { mean: 0.25 } });
  });

  it.each([
    ['none if every agent questions its database', [asks], undefined, null],
    ['not an agent that sees all rows', [asks, sees], undefined, null],
    ['the chosen run', [asks, guess], 'asks', 'asks'],
  ])('has as baseline %s', (_, agents, chosen, run) => {
    const { baseline } = databaseTables(agents, { baseline: chosen }).figure3;
    expect(baseline?.run ?? null).toBe(run);
  });
});

describe('Fig. 4', () => {
  const answers = [
    ...['', 'r', 'rx', 'rr', 'rrrrrr', 'rrrrrrrr'].map((queries, at) =>
      answerRecord({ uuid: `c${at}`, queries, verdict: at > 1 ? 1 : 0 }),
    ),
    answerRecord({ uuid: 'c8', outcome: 'infra-error', queries: 'rrr', verdict: null }),
    answerRecord({ uuid: 'c9', method: 'no-interaction', queries: '' }),
    answerRecord({ uuid: 'i1', category: 'interpretive', queries: 'rrr', verdict: 4 }),
  ];

  it('has match by the number of valid queries, without empty bins', () => {
    const { bins, correlation } = validQueryBins('conclusive', answers);
    expect(bins.map(({ valid, count, mean }) => [valid, count, mean])).toEqual([
      ['0', 1, 0],
      ['1', 2, 0.5],
      ['2', 1, 1],
      ['6+', 2, 1],
    ]);
    expect(correlation).toMatchObject({ kind: 'point-biserial' });
    expect(correlation?.value).toBeGreaterThan(0);
    expect(correlation?.interval?.low).toBeLessThan(correlation?.value ?? NaN);
  });

  it('never mixes the categories', () => {
    expect(validQueryBins('interpretive', answers)).toEqual({
      category: 'interpretive',
      bins: [expect.objectContaining({ valid: '3', count: 1, mean: 4 })],
      correlation: null,
    });
  });
});

describe('answers that were made elsewhere', () => {
  const example = { ...answerRecord({ uuid: 'c1' }) };

  it('are grouped by model and method, in order of appearance', () => {
    const { agents, problems } = readAnswers({
      answers: [
        example,
        { ...example, method: 'iterative' },
        { ...example, uuid: 'c2' },
        { ...example, model: 'other' },
      ],
    });
    expect(problems).toEqual([]);
    expect(agents.map(({ agent, answers }) => [agent.model, agent.method, answers.length])).toEqual(
      [
        ['a-model', 'sequential', 2],
        ['a-model', 'iterative', 1],
        ['other', 'sequential', 1],
      ],
    );
  });

  it.each([
    ['another form', { rows: [] }, 'answers'],
    ['no answers', { answers: [] }, 'answers'],
    ['an unknown method', { answers: [{ ...example, method: 'guess' }] }, 'answer 1: method'],
    ['an answer twice', { answers: [example, example] }, '2 answers to c1, epoch 1'],
    [
      'a grade of a conclusive question',
      { answers: [{ ...example, verdict: { kind: 'scored', score: 4 } }] },
      'answer 1: verdict.score: is not on the scale',
    ],
    [
      'a match of an interpretive question',
      {
        answers: [{ ...example, category: 'interpretive', verdict: { kind: 'scored', score: 0 } }],
      },
      'answer 1: verdict.score: is not on the scale',
    ],
    [
      'a score of a question without a category',
      { answers: [{ ...example, category: null }] },
      'is not on the scale',
    ],
  ])('are refused with %s', (_, json, problem) => {
    expect(readAnswers(json).problems.join('\n')).toContain(problem);
  });

  it('can be restricted to the questions that all were asked', () => {
    const first = agentAnswers([answerRecord({ uuid: 'a' }), answerRecord({ uuid: 'b' })]);
    const second = agentAnswers([answerRecord({ uuid: 'b' }), answerRecord({ uuid: 'c' })]);
    const common = onCommonQuestions([first, second]);
    expect(common.map(({ answers }) => answers.map(({ uuid }) => uuid))).toEqual([['b'], ['b']]);
  });
});

const worked = new URL(
  '../../../../../shared/data/database-qa/worked-example.json',
  import.meta.url,
);

it.skipIf(!existsSync(worked))('gives the published worked example, where it is at hand', () => {
  const json = JSON.parse(readFileSync(worked, 'utf8')) as { readonly expected: object };
  const { agents, problems } = readAnswers(json);
  expect(problems).toEqual([]);
  const rounded: unknown = JSON.parse(
    JSON.stringify(databaseTables(agents), (_, value: unknown) =>
      typeof value === 'number' ? Number(value.toFixed(4)) : value,
    ),
  );
  expect(rounded).toMatchObject(json.expected);
});

describe('what the paper leaves out', () => {
  const answersOf = (method: AnswerRecord['method'], verdicts: string, queries: string) =>
    agentAnswers(
      Array.from(verdicts, (verdict, index) =>
        answerRecord({
          ...{ uuid: `c${index}`, method, queries, verdict: Number(verdict) },
          ...{ database: `d${index}`, size: 10 ** (index % 3) },
        }),
      ),
      method,
    );

  it('marks agents that are no better than one that guesses', () => {
    const guesses = answersOf('iterative', '010000000100', '');
    const alike = answersOf('sequential', '110000000100', 'r');
    const better = answersOf('no-interaction', '111111111111', '');
    const { agents } = databaseTables([guesses, alike, better]).figure3;
    expect(agents.map(({ nearGuess }) => nearGuess)).toEqual([[], ['conclusive'], []]);
    const [first] = databaseTables([alike, better]).figure3.agents;
    expect(first?.nearGuess).toEqual([]);
  });

  it('takes the majority of the epochs of each conclusive question', () => {
    const epochs = (verdicts: string, uuid: string) =>
      Array.from(verdicts, (verdict, index) =>
        answerRecord({ uuid, epoch: index + 1, verdict: Number(verdict) }),
      );
    const several = agentAnswers([
      ...epochs('110', 'a'),
      ...epochs('100', 'b'),
      ...epochs('10', 'c'),
    ]);
    const [figures] = databaseTables([several]).table2;
    expect(figures?.conclusive.majority).toBeCloseTo(1 / 3);
    expect(figures?.interpretive.majority).toBeNull();
    const [once] = databaseTables([agentAnswers(epochs('1', 'a'))]).table2;
    expect(once?.conclusive.majority).toBeNull();
  });

  it('groups answers by the size of their database', () => {
    const { bySize } = databaseTables([answersOf('sequential', '110100110100', 'rr')]);
    expect(
      bySize.map(({ rows, databases, conclusive }) => [rows, databases, conclusive.match]),
    ).toEqual([
      [{ least: 1, most: 1 }, 4, 1],
      [{ least: 10, most: 10 }, 4, 0.5],
      [{ least: 100, most: 100 }, 4, 0],
    ]);
    expect(bySize[0]?.conclusive).toMatchObject({ answered: 4, valid: 2 });
    const few = agentAnswers([answerRecord({ uuid: 'c', database: 'd', size: 3 })]);
    expect(databaseTables([few]).bySize).toEqual([]);
  });

  it('marks agents that their own model judges or reviews', () => {
    const judged = (...judges: string[]) => agentAnswers([answerRecord({ uuid: 'c', judges })]);
    const marksOf = (...agents: AgentAnswers[]) =>
      databaseTables(agents).table2.map(({ judgesItself }) => judgesItself ?? false);
    expect(marksOf(judged('b', 'a-model'), judged('b'), judged())).toEqual([true, false, false]);
  });
});
