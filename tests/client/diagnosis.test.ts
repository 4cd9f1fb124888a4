import { describe, expect, it } from 'vitest';
import { diagnose, diagnosisStatus, type Check, type Facts } from '../../client/diagnosis.js';
import type { Inspection } from '../../domain/services/inspection.js';

const found = { kind: 'found', where: '/x', version: '1.2' } as const;
const missing = { kind: 'missing' } as const;

const healthy: Facts = {
  nodeVersion: '22.1.0',
  platform: 'linux',
  inspection: {
    home: { path: '/h', writable: true },
    python: found,
    go: found,
    temporalCli: found,
    milvusLite: found,
    supervision: { kind: 'none' },
    temporal: { kind: 'not-running' },
    milvus: { kind: 'not-running' },
  },
  model: { kind: 'answered', url: 'https://models.example/v1', httpStatus: 200 },
};

const withInspection = (change: Partial<Inspection>): Facts => ({
  ...healthy,
  inspection: { ...healthy.inspection, ...change },
});

const check = (facts: Facts, name: string): Check | undefined =>
  diagnose(facts).find((candidate) => candidate.name === name);

describe('the diagnosis', () => {
  it('is well when everything is there', () => {
    const checks = diagnose(healthy);
    expect(checks.map(({ kind }) => kind)).toEqual(Array(7).fill('ok'));
    expect(diagnosisStatus(checks)).toBe(0);
  });

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
      'a Temporal that runs',
      withInspection({ temporal: { kind: 'reached', address: 'a:1', version: '1.29.1' } }),
      'Temporal',
      { kind: 'ok', detail: 'a:1, version 1.29.1' },
      0,
    ],
    [
      'a Temporal that does not answer',
      withInspection({ temporal: unreachable }),
      'Temporal',
      { kind: 'problem', detail: 'far:1 does not answer (refused)' },
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
    ['no model', { ...healthy, model: { kind: 'unset' } }, 'Model', { kind: 'note' }, 0],
    [
      'a wrong key',
      { ...healthy, model: { kind: 'answered', url: 'u', httpStatus: 401 } },
      'Model',
      { kind: 'problem', detail: 'u refuses the key (HTTP 401)' },
      2,
    ],
    [
      'an endpoint without a list of models',
      { ...healthy, model: { kind: 'answered', url: 'u', httpStatus: 404 } },
      'Model',
      { kind: 'ok' },
      0,
    ],
    [
      'an endpoint that is unwell',
      { ...healthy, model: { kind: 'answered', url: 'u', httpStatus: 503 } },
      'Model',
      { kind: 'problem' },
      3,
    ],
    [
      'an endpoint out of reach',
      { ...healthy, model: { kind: 'unreachable', url: 'u', reason: 'no' } },
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
    const facts = { ...withInspection({ temporal: unreachable }), nodeVersion: '18.0.0' };
    expect(diagnosisStatus(diagnose(facts))).toBe(2);
  });
});
