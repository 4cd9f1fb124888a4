import { expect, it } from 'vitest';
import { requestMessages } from '../../../domain/agent/conversation.js';
import { methods } from '../../../domain/agent/methods.js';
import { needsContext, planTurn, turnLimit } from '../../../domain/agent/turn-plan.js';
import { readTurn } from '../../../domain/agent/read-turn.js';
import { questionMaterial } from '../../support/runs/question-material.js';

const method = methods['text-to-sql'];

it('shows question and schema in its only call, and no paper', () => {
  const material = questionMaterial(
    { method: 'text-to-sql' },
    { question: 'How many loans?', anchor_pdf: ['p-1'] },
  );
  const database = 'CREATE TABLE loan (id BIGINT);';
  const [message, ...others] = requestMessages({ ...material, database }, 1, []);
  expect(message?.content).toContain(
    '[Question]: How many loans?\n[Answer Format]:\n[Database Schema]:\nCREATE TABLE loan (id BIGINT);',
  );
  expect(message?.content).not.toContain('p-1');
  expect(others).toEqual([]);
  expect(turnLimit(method, 20)).toBe(1);
  expect(needsContext(method)).toBe(false);
});

it('answers with the SQL of the last code fence', () => {
  const material = questionMaterial({ method: 'text-to-sql' });
  const plan = planTurn(method, 1, material.manifest.config);
  expect(plan).toEqual({ kind: 'answer' });
  const reply = {
    content: 'All of them.\n```sql\nSELECT count(*) FROM loan\n```',
    toolCalls: [],
    finishReason: 'stop',
  } as const;
  expect(readTurn(reply, { kind: 'answer' }, { material, turn: 1, turns: [] })).toMatchObject({
    kind: 'action',
    action: { answer: { text: 'SELECT count(*) FROM loan' } },
  });
});
