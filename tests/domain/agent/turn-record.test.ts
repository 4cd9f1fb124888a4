import { describe, expect, it } from 'vitest';
import { anyValueOfJson, type Action } from '../../../domain/agent/actions/action.js';
import {
  modelTurnSchema,
  summariseObservation,
  summariseReply,
} from '../../../domain/agent/turn-record.js';
import { describeReply, questionDetails } from '../../../domain/runs/workflow-details.js';
import { exampleObservation, exampleReply } from '../../support/runs/example-records.js';

const sql: Action = { kind: 'RetrieveFromDatabase', sql: 'SELECT *\n  FROM runs' };

describe('what a workflow learns of a turn', () => {
  it.each<[Action | null, string]>([
    [sql, 'SQL · SELECT * FROM runs'],
    [{ kind: 'ClassicRetrieve', query: 'turns', limit: anyValueOfJson(5) }, 'search · turns'],
    [{ kind: 'GenerateAnswer', answer: { kind: 'literal', source: '20' } }, 'answer · 20'],
    [null, 'unreadable · No action in it.'],
  ])('of %j is: %s', (action, text) => {
    const turn = summariseReply(exampleReply(1, action));
    expect(describeReply(turn)).toBe(text);
    expect(modelTurnSchema.parse(JSON.parse(JSON.stringify(turn)))).toEqual(turn);
  });

  it('is short, however long the texts are', () => {
    const long = 'x'.repeat(10_000);
    const turns = [
      summariseReply(exampleReply(1, { kind: 'RetrieveFromDatabase', sql: long })),
      summariseReply(exampleReply(1, null, { reading: { kind: 'error', error: long } })),
      summariseObservation(exampleObservation(1, long)),
    ];
    expect(JSON.stringify(turns).length).toBeLessThan(600);
  });
});

describe('a question’s details', () => {
  const moment = {
    ...{ question: 'How many?', runPath: '/run', turn: 2, maxTurns: 20 },
    ...{ reply: null, observation: null },
  };

  it('tell the question and its turn', () => {
    expect(questionDetails(moment)).toContain('How many?');
    expect(questionDetails(moment)).toContain('Turn 2 of at most 20');
  });

  it('tell the action and the last observation once there are some', () => {
    const reply = summariseReply(exampleReply(2, sql));
    const text = questionDetails({ ...moment, reply, observation: 'twenty' });
    for (const fact of ['SQL', 'SELECT * FROM runs', 'twenty']) expect(text).toContain(fact);
  });
});
