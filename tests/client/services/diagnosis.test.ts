import { describe, expect, it } from 'vitest';
import {
  diagnose,
  diagnosisStatus,
  renderChecks,
  type Check,
  type Facts,
} from '../../../client/services/diagnosis.js';
import type { ModelEndpoint } from '../../../domain/model-api.js';
import type { Inspection, NamespaceState } from '../../../domain/services.js';
import { testHome } from '../../support/test-home.js';

const found = { kind: 'found', where: '/x', version: '1.2' } as const;
const missing = { kind: 'missing' } as const;

const healthy: Facts = {
  nodeVersion: '22.1.0',
  platform: 'linux',
  inspection: {
    home: { path: '/h', writable: true },
    identity: { kind: 'new' },
    stuck: null,
    python: found,
    go: found,
    temporalCli: found,
    milvusLite: found,
    supervision: { kind: 'none' },
    temporal: { kind: 'not-running' },
    milvus: { kind: 'not-running' },
    database: null,
    models: {
      askedBy: 'here',
      endpoints: [
        { api: 'chat', kind: 'answered', url: 'https://models.example/v1', httpStatus: 200 },
      ],
    },
  },
};

const withInspection = (change: Partial<Inspection>): Facts => ({
  ...healthy,
  inspection: { ...healthy.inspection, ...change },
});

const asked = (askedBy: 'worker' | 'here', endpoint: ModelEndpoint): Facts =>
  withInspection({ models: { askedBy, endpoints: [endpoint] } });

const withNamespace = (namespace: NamespaceState): Facts =>
  withInspection({
    temporal: { kind: 'reached', address: 'a:1', version: '1.29.1', namespace },
  });

it('promises to start nothing beside a server of the user', () => {
  const own = withNamespace(papers({}));
  const about = (name: string) => diagnose(own).find((check) => check.name === name);
  expect(about('Milvus')).toMatchObject({ kind: 'note' });
  expect(about('Services')).toMatchObject({
    detail: 'with TEMPORAL_ADDRESS set, commands start none',
  });
});

const papers = (attributes: {
  readonly missing?: readonly string[];
  readonly otherType?: readonly string[];
}): Extract<NamespaceState, { kind: 'found' }> => ({
  kind: 'found',
  name: 'papers',
  retentionMs: 3 * 24 * 3_600_000,
  attributes: { kind: 'listed', missing: [], otherType: [], ...attributes },
});

const check = (facts: Facts, name: string): Check | undefined =>
  diagnose(facts).find((candidate) => candidate.name === name);

describe('the diagnosis', () => {
  it('is well when everything is there', () => {
    const checks = diagnose(healthy);
    expect(checks.map(({ kind }) => kind)).toEqual(Array(8).fill('ok'));
    expect(diagnosisStatus(checks)).toBe(0);
  });

  const silent = {
    kind: 'trouble',
    trouble: {
      what: 'Temporal does not answer at far:1 (refused)',
      remedy: 'start it',
      status: 3,
    },
  } as const;
  const noNamespace = {
    what: 'Temporal at a:1 has no namespace papers',
    remedy: 'correct it',
    status: 2,
  } as const;
  const unreachable = { kind: 'unreachable', address: 'far:1', reason: 'refused' } as const;
  const cases: readonly (readonly [string, Facts, string, Partial<Check>, 0 | 2 | 3])[] = [
    ['an old Node', { ...healthy, nodeVersion: '20.18.0' }, 'Node', { kind: 'problem' }, 2],
    ['the oldest Node', { ...healthy, nodeVersion: '20.19.0' }, 'Node', { kind: 'ok' }, 0],
    ['Windows', { ...healthy, platform: 'win32' }, 'Platform', { kind: 'problem' }, 2],
    [
      'an unwritable home',
      withInspection({ home: { path: '/h', writable: false } }),
      'TURNWISE_HOME',
      { kind: 'problem', detail: '/h cannot be written to' },
      2,
    ],
    [
      'a home that a worker serves',
      withInspection({ identity: { kind: 'known', id: testHome, queue: 'q-tests', workers: 1 } }),
      'Home',
      { kind: 'ok', detail: 'tests; 1 worker on q-tests' },
      0,
    ],
    [
      'a home that nobody serves',
      withInspection({ identity: { kind: 'known', id: testHome, queue: 'q-tests', workers: 0 } }),
      'Home',
      { kind: 'note', detail: 'tests; no worker polls q-tests' },
      0,
    ],
    [
      'a workflow that no worker can go on with',
      withInspection({
        stuck: [
          {
            ...{ workflowId: 'tests/run/r/q/q7/e/1', type: 'answerQuestionWorkflow', runId: '1' },
            ...{ cause: 'TypeError: atob is not a function (workflow code)', build: 'b' },
            restarts: 0,
          },
        ],
      }),
      'Workflow',
      {
        kind: 'note',
        detail:
          'run/r/q/q7/e/1: its workflow cannot go on: TypeError: atob is not a function (workflow code); it is started again from its files',
      },
      0,
    ],
    [
      'a home that cannot be read',
      withInspection({ identity: { kind: 'unreadable', reason: 'home.json is damaged' } }),
      'Home',
      { kind: 'problem', detail: 'home.json is damaged' },
      2,
    ],
    [
      'a Temporal that runs',
      withNamespace(papers({})),
      'Temporal',
      { kind: 'ok', detail: 'a:1, version 1.29.1' },
      0,
    ],
    [
      'a namespace that has everything',
      withNamespace(papers({})),
      'Namespace',
      { kind: 'ok', detail: 'papers; keeps histories for 3 days after their end' },
      0,
    ],
    [
      'a namespace without search attributes',
      withNamespace(papers({ missing: ['TurnwiseRun', 'TurnwiseState'] })),
      'Namespace',
      {
        kind: 'note',
        detail: 'papers; keeps histories for 3 days after their end; lacks search attributes',
        remedy:
          'A worker creates them when it starts. Where it may not: `temporal operator search-attribute create --namespace papers --name TurnwiseRun --type Keyword --name TurnwiseState --type Keyword`.',
      },
      0,
    ],
    [
      'search attributes of another type',
      withNamespace(papers({ otherType: ['TurnwiseRun'] })),
      'Namespace',
      {
        kind: 'problem',
        detail: 'Search attributes of namespace papers are not of type Keyword: TurnwiseRun',
      },
      2,
    ],
    [
      'search attributes that are not listed',
      withNamespace({ ...papers({}), attributes: { kind: 'hidden' } }),
      'Namespace',
      {
        kind: 'note',
        detail:
          'papers; keeps histories for 3 days after their end; does not list its search attributes',
      },
      0,
    ],
    [
      'a namespace that does not exist',
      withNamespace({ kind: 'trouble', trouble: noNamespace }),
      'Namespace',
      {
        kind: 'problem',
        detail: 'Temporal at a:1 has no namespace papers',
        remedy: 'Correct it.',
      },
      2,
    ],
    [
      'a Temporal that does not answer',
      withInspection({ temporal: silent }),
      'Temporal',
      { kind: 'problem', detail: 'Temporal does not answer at far:1 (refused)' },
      3,
    ],
    [
      'a Temporal not fetched yet',
      withInspection({ temporalCli: missing, go: missing }),
      'Temporal',
      { kind: 'note' },
      0,
    ],
    [
      'a Milvus that does not answer',
      withInspection({ milvus: unreachable }),
      'Milvus',
      { kind: 'problem' },
      3,
    ],
    [
      'a Milvus Lite not installed yet',
      withInspection({ milvusLite: missing }),
      'Milvus',
      { kind: 'note' },
      0,
    ],
    [
      'neither Milvus nor Python',
      withInspection({ milvusLite: missing, python: missing }),
      'Milvus',
      { kind: 'problem' },
      3,
    ],
    [
      'orphans',
      withInspection({ supervision: { kind: 'orphaned', names: ['temporal', 'milvus'] } }),
      'Services',
      { kind: 'note', detail: 'temporal, milvus left running by a supervisor that died' },
      0,
    ],
    ['no model', asked('here', { api: 'chat', kind: 'unset' }), 'Model', { kind: 'note' }, 0],
    [
      'a wrong key',
      asked('here', { api: 'chat', kind: 'answered', url: 'u', httpStatus: 401 }),
      'Model',
      { kind: 'problem', detail: 'u refuses the key (HTTP 401)' },
      2,
    ],
    [
      'a wrong key of a worker',
      asked('worker', { api: 'anthropic', kind: 'answered', url: 'u', httpStatus: 401 }),
      'Anthropic',
      {
        kind: 'problem',
        detail: 'u refuses the key of the worker (HTTP 401)',
        remedy: 'Check ANTHROPIC_API_KEY of the worker.',
      },
      2,
    ],
    [
      'a worker without a model',
      asked('worker', { api: 'chat', kind: 'unset' }),
      'Model',
      { kind: 'note', detail: 'the worker has no endpoint configured' },
      0,
    ],
    [
      'an endpoint without a list of models',
      asked('here', { api: 'chat', kind: 'answered', url: 'u', httpStatus: 404 }),
      'Model',
      { kind: 'ok' },
      0,
    ],
    [
      'an endpoint that is unwell',
      asked('here', { api: 'chat', kind: 'answered', url: 'u', httpStatus: 503 }),
      'Model',
      { kind: 'problem' },
      3,
    ],
    [
      'an endpoint out of reach',
      asked('here', { api: 'chat', kind: 'unreachable', url: 'u', reason: 'no' }),
      'Model',
      { kind: 'problem' },
      3,
    ],
  ];

  it.each(cases)('judges %s', (_case, facts, name, expected, status) => {
    expect(check(facts, name)).toMatchObject(expected);
    expect(diagnosisStatus(diagnose(facts))).toBe(status);
  });

  it('gives the gravest status', () => {
    const facts = { ...withInspection({ temporal: silent }), nodeVersion: '18.0.0' };
    expect(diagnosisStatus(diagnose(facts))).toBe(2);
  });
});

it('puts the remedy under what needs one', () => {
  const text = renderChecks([
    { kind: 'ok', name: 'Node', detail: '22' },
    { kind: 'note', name: 'Model', detail: 'none', remedy: 'Set one.' },
  ]);
  expect(text.split('\n')).toEqual(['✓ Node   22', '· Model  none', '         → Set one.']);
});
