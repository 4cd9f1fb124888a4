import { describe, expect, it } from 'vitest';
import { steps, type Step } from '../../domain/building/item.js';
import { stepMessages, readStepReply, type StepInput } from '../../domain/building/prompts.js';
import { scratchTables } from '../../domain/building/scratch-tables.js';
import { contentText } from '../../domain/models/chat-message.js';
import { renderDatabaseDdl } from '../../domain/stores/database-schema.js';
import { statementsOf } from '../../domain/formats/sql.js';
import { simulatedBuilding } from '../../simulator/simulated-building.js';
import { fillScratch } from '../../worker/adapters/duckdb/scratch-database.js';
import { boats } from '../support/runs/building/boats.js';

const types = [
  'INTEGER',
  'VARCHAR',
  'DATE',
  'TIMESTAMP',
  'DECIMAL(9,2)',
  'BOOLEAN',
  "ENUM('a', 'b')",
  'INTEGER[]',
  'UUID',
  'TIME',
];
const odd = {
  ...{ name: 'odd "table', description: 'With, commas -- and dashes', rows: 0, primaryKey: [] },
  columns: types.map((type, index) => ({
    name: `c ${index}`,
    type,
    nullable: true,
    description: 'a, b',
  })),
  foreignKeys: [{ columns: ['c 0'], table: 'races', references: ['id'] }],
};
const tables = [odd, ...boats];

const input = (step: Step, more: Partial<StepInput> = {}): StepInput => ({
  ...{ step, schema: renderDatabaseDdl({ tables }), seedQuestion: 'Which boat wins?' },
  ...{ texts: {}, remark: '', failures: [], failedReply: null },
  ...more,
});
const replyTo = (asked: StepInput, script?: Parameters<typeof simulatedBuilding>[1]): string => {
  const messages = stepMessages(asked).map(({ role, content }) => ({
    role,
    content: contentText(content),
  }));
  return simulatedBuilding({ messages }, script) ?? 'none';
};

describe('the simulated model', () => {
  it.each(steps)('replies to %s in a form that can be read', (step) => {
    const draft = { version: 1, part: 'draft', text: 'Which boat wins?', results: [] } as const;
    const raw = replyTo(input(step, { texts: { draft } }));
    expect(readStepReply(step, { raw, cutOff: false }).kind).toBe('text');
  });

  it('fills every table of a schema with rows that refer to each other', async () => {
    const reply = readStepReply('construct', { raw: replyTo(input('construct')), cutOff: false });
    const inserts = reply.kind === 'text' ? statementsOf(reply.text) : [];
    const outcome = await fillScratch(
      {
        kind: 'scratch',
        file: '',
        ...scratchTables({ tables }),
        inserts,
        queries: [],
        maxRows: 10,
      },
      300,
    );
    expect(outcome).toMatchObject({ kind: 'filled' });
    expect(
      outcome.kind === 'filled' && outcome.tables.map(({ result }) => result.rows.length),
    ).toEqual([3, 3, 3]);
  });

  it('follows a script, and not again where its reply could not be used', () => {
    const entry = {
      step: 'construct',
      includes: 'Which boat wins?',
      reply: 'INSERT INTO nothing',
      always: false,
    } as const;
    const question = {
      version: 1,
      part: 'question',
      text: 'Which boat wins?',
      results: [],
    } as const;
    const asked = input('construct', { texts: { question } });
    const script = { building: [entry], databaseQuestions: [] };
    expect(replyTo(asked, script)).toBe(entry.reply);
    const again = { ...asked, failedReply: entry.reply, failures: ['no'] };
    expect(replyTo(again, script)).toContain('INSERT INTO boats');
    expect(replyTo(again, { ...script, building: [{ ...entry, always: true }] })).toBe(entry.reply);
  });
});
