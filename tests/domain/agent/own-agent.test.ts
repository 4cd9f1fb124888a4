import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  agentRequestSchema,
  agentResultSchema,
  agentTaskSchema,
  agentTrajectory,
  askedAnew,
  messagesSent,
  readAgentLine,
} from '../../../domain/agent/own-agent/protocol.js';
import type { FinishedTurn } from '../../../domain/agent/turn-record.js';
import type { Message } from '../../../domain/models/chat-message.js';
import { exampleReply } from '../../support/runs/example-records.js';

const checkout = join(import.meta.dirname, '../../..');

it('has a schema that others can read', () => {
  const schema = z.toJSONSchema(
    z.object({ task: agentTaskSchema, request: agentRequestSchema, result: agentResultSchema }),
  );
  const text = readFileSync(join(checkout, 'examples/agents/protocol.schema.json'), 'utf8');
  expect(JSON.parse(text)).toEqual(schema);
});

describe('a line of an agent', () => {
  it.each([
    [{ sql: 'SELECT 1' }, { kind: 'RetrieveFromDatabase', sql: 'SELECT 1' }],
    [{ search: 'cells' }, { kind: 'ClassicRetrieve', query: 'cells' }],
    [
      { action: { action_type: 'CalculateExpr', parameters: { expr: '1 + 1' } } },
      { kind: 'CalculateExpr', expr: '1 + 1' },
    ],
    [{ answer: 20 }, { kind: 'GenerateAnswer' }],
    [{ answer: '' }, { kind: 'GenerateAnswer' }],
    [{ answer: ['a', 'b'] }, { kind: 'GenerateAnswer' }],
  ])('is an action: %j', (line, action) => {
    expect(readAgentLine(line)).toMatchObject({
      kind: 'action',
      reading: { kind: 'action', thought: '', action },
    });
  });

  it.each([
    [null],
    ['text'],
    [{}],
    [{ sql: 1 }],
    [{ model: { messages: [] } }],
    [{ model: { messages: [{ role: 'tool', content: '' }] } }],
    [{ sql: 'SELECT 1', answer: 2 }],
    [{ action: { action_type: 'DropTables', parameters: {} } }],
    [{ action: { action_type: 'RetrieveFromDatabase', parameters: {} } }],
  ])('is an error that it is told, where it is %j', (line) => {
    expect(readAgentLine(line)).toMatchObject({ kind: 'action', reading: { kind: 'error' } });
  });
});

const said = (role: Message['role'], content: string): Message => ({ role, content });
const turnWith = (messages: readonly Message[], before: readonly FinishedTurn[]): FinishedTurn => ({
  reply: {
    ...exampleReply(before.length + 1, null),
    raw: `reply ${before.length + 1}`,
    reading: { kind: 'step', step: { kind: 'reply' } },
    asked: askedAnew(messages, before),
  },
  observation: '',
});

it('keeps of each call what it sends anew, and knows all that it sent', () => {
  const calls = [
    [said('system', 's'), said('user', 'q')],
    [said('system', 's'), said('user', 'q'), said('assistant', 'reply 1'), said('user', 'go on')],
    [said('system', 'other')],
    [said('system', 'other')],
  ];
  const turns: FinishedTurn[] = [];
  for (const messages of calls) turns.push(turnWith(messages, turns));
  expect(turns.map(({ reply }) => [reply.asked?.kept, reply.asked?.messages.length])).toEqual([
    [0, 2],
    [2, 2],
    [0, 1],
    [1, 0],
  ]);
  expect(calls.map((_, index) => messagesSent(turns, index + 1))).toEqual(calls);
  expect(agentTrajectory(turns.slice(0, 2))).toEqual([
    ...[said('system', 's'), said('user', 'q'), said('assistant', 'reply 1')],
    ...[said('assistant', 'reply 1'), said('user', 'go on'), said('assistant', 'reply 2')],
  ]);
});
