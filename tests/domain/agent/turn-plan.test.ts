import { describe, expect, it } from 'vitest';
import { parseErrorKind } from '../../../domain/agent/actions/parse-error.js';
import {
  methodNames,
  methodNeeds,
  methods,
  scopeFilter,
  type MethodName,
} from '../../../domain/agent/methods.js';
import { readReply, readTurn, type TurnMaterial } from '../../../domain/agent/read-turn.js';
import { asksModel, planTurn, turnLimit } from '../../../domain/agent/turn-plan.js';
import { datasetItemSchema } from '../../../domain/scoring/dataset-item.js';

const settings = { actionFormat: 'xml', maxTurns: 3, strict: false } as const;
const plan = (name: MethodName, turn: number, changes: object = {}) =>
  planTurn(methods[name], turn, { ...settings, ...changes });

describe('the plan of a turn', () => {
  it('lets an iterative method act in the format of the run, and answer in the last turn', () => {
    const { actions } = methods.neusym_rag as { readonly actions?: readonly string[] };
    expect(plan('neusym_rag', 2)).toEqual({
      kind: 'action',
      actions,
      format: 'xml',
      protocol: 'react',
    });
    expect(plan('neusym_rag', 3)).toMatchObject({ actions: ['GenerateAnswer'] });
    expect(plan('neusym_rag', 3, { strict: true })).toMatchObject({ actions });
  });

  it('makes of two stages a retrieval, in JSON or by a tool, and an answer', () => {
    expect(plan('two_stage_neu_rag', 1)).toEqual({
      kind: 'action',
      actions: ['RetrieveFromVectorstore'],
      format: 'json',
      protocol: 'code_block',
    });
    expect(plan('two_stage_neu_rag', 1, { actionFormat: 'tools' })).toMatchObject({
      format: 'tools',
    });
    expect(plan('two_stage_sym_rag', 1)).toEqual({ kind: 'sql' });
    expect(plan('two_stage_sym_rag', 2)).toEqual({ kind: 'answer' });
    expect(plan('classic_rag', 1)).toEqual({ kind: 'answer' });
  });

  it('ends each method in its own time', () => {
    const limits = methodNames.map((name) => turnLimit(methods[name], 20));
    expect(limits).toEqual([20, 20, 20, 20, 20, 20, 21, 2, 2, 2, 2, 1, 1, 1, 1, 1, 20, 20, 1]);
  });

  it('lets a graph be asked first, and its answer stand or be judged', () => {
    expect([1, 2].map((turn) => plan('two_stage_graph_rag', turn).kind)).toEqual([
      'graph-query',
      'graph-answer',
    ]);
    expect([1, 2, 4].map((turn) => plan('iterative_graph_rag', turn).kind)).toEqual([
      'graph-query',
      'judgement',
      'judgement',
    ]);
  });
});

it('a model is needed but where a graph alone answers, and a graph by its methods alone', () => {
  const needing = (what: 'model' | 'graph') =>
    methodNames.filter((name) => methodNeeds(methods[name])[what]);
  expect(methodNames.filter((name) => !needing('model').includes(name))).toEqual([
    'two_stage_graph_rag',
  ]);
  expect(needing('graph')).toEqual(['iterative_graph_rag', 'two_stage_graph_rag']);
});

describe('a reply read for its turn', () => {
  it.each([
    ['sql', 'so:\n```sql\nSELECT 1\n```', { kind: 'RetrieveFromDatabase', sql: 'SELECT 1' }],
    [
      'answer',
      'so:\n```txt\n42\n```',
      { kind: 'GenerateAnswer', answer: { kind: 'text', text: '42' } },
    ],
    ['answer', '', { kind: 'GenerateAnswer', answer: { kind: 'text', text: '' } }],
  ] as const)('is, for %s, the action it stands for', (kind, content, action) => {
    expect(readReply({ content, finishReason: 'stop' }, { kind }, 'strict')).toEqual({
      kind: 'action',
      thought: '',
      action,
    });
  });

  it('is an action in the format of the plan', () => {
    const reply = {
      content: '```json\n{"action_type": "RetrieveFromVectorstore", "parameters": {}}\n```',
      finishReason: 'stop',
    } as const;
    const retrieval = plan('two_stage_neu_rag', 1);
    if (retrieval.kind !== 'action') throw new Error('the first stage is an action');
    expect(readReply(reply, retrieval, 'strict')).toMatchObject({
      kind: 'action',
      thought: '',
      action: { kind: 'RetrieveFromVectorstore', query: '', filter: '' },
    });
  });

  const prompted = methodNames.filter(
    (name) => !['graph', 'database'].includes(methods[name].kind),
  );

  // It is not read where there is nothing to read.
  const notRead = null as unknown as TurnMaterial;

  it.each(
    prompted.flatMap((method) =>
      (
        [
          ['cut-off', '', 'length'],
          ['empty', ' ', 'stop'],
          ['filtered', '', 'filtered'],
          ['error', 'SELECT 1 FR', 'error'],
        ] as const
      ).map((odd) => [method, ...odd] as const),
    ),
  )('is, with %s, no empty answer where it is %s', (method, odd, content, finishReason) => {
    const asked = plan(method, 1);
    if (!asksModel(asked)) throw new Error('nothing to write');
    const reading = readTurn({ content, finishReason }, asked, notRead);
    expect(reading).toMatchObject({ kind: 'error', odd });
    expect(reading.kind === 'error' && parseErrorKind(reading.error)).toBe(odd);
  });
});

describe('the papers ClassicRetrieve is kept to', () => {
  const filter = (name: MethodName, ...anchors: string[]) =>
    scopeFilter(
      methods[name],
      datasetItemSchema.parse({ uuid: 'q', question: '?', anchor_pdf: anchors }),
    );

  it.each([
    ['iterative_classic_rag', [], ''],
    ['iterative_classic_rag', ['a'], "pdf_id == 'a'"],
    ['classic_rag', ['a', 'b'], "pdf_id in ['a', 'b']"],
    ['classic_rag', ["a' or '1' == '1"], String.raw`pdf_id == 'a\' or \'1\' == \'1'`],
    ['hybrid_react', ['a'], ''],
  ] as const)('are, for %s and %j, %j', (name, anchors, expected) => {
    expect(filter(name, ...anchors)).toBe(expected);
  });
});
