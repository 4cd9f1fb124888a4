import { describe, expect, it } from 'vitest';
import { instructions, type DatabaseStage } from '../../domain/agent/database-qa/prompts.js';
import type { DatabaseMode } from '../../domain/agent/database-qa/answer-trace.js';
import { queriesIn } from '../../domain/agent/database-qa/sql-statements.js';
import { chatRequestSchema } from '../../simulator/chat-request.js';
import { databaseReply } from '../../simulator/database-replies.js';
import { scriptSchema } from '../../simulator/script.js';

const rounds = Array.from({ length: 60 }, (_, place) => ({
  need: `the number of kind ${place}`,
  query: `SELECT count(*) FROM boats WHERE kind = ${place}`,
}));
const answer = rounds.map((_, place) => `There are ${200 + place} boats of this kind.`).join(' ');
const script = scriptSchema.parse({
  carelessness: { careful: 0, careless: 0.5 },
  databaseQuestions: [{ question: 'How many?', rounds, answer }],
});

function reply(model: string, mode: DatabaseMode, stage: DatabaseStage, shown = ''): string {
  const content = `[Database Schema]:\nCREATE TABLE boats (kind INTEGER);\n\n${instructions(mode, stage)}\n\n[Question]: How many?${shown === '' ? '' : `\n\n${shown}`}`;
  const request = chatRequestSchema.parse({ model, messages: [{ role: 'user', content }] });
  return databaseReply(request, script) ?? '';
}

const sentences = (text: string): readonly string[] => text.match(/There are \d+/g) ?? [];

describe('the replies to prompts of database methods', () => {
  it('plan the needs of the rounds and write their queries, if the entry has no others', () => {
    expect(reply('any', 'sequential', 'plan').split('\n')).toEqual(
      rounds.map(({ need }) => `- ${need}`),
    );
    expect(queriesIn(reply('any', 'sequential', 'queries'))).toEqual(
      rounds.map(({ query }) => query),
    );
    expect(reply('any', 'sequential', 'answer')).toContain(answer);
  });

  it('of a careful model tell only the numbers that it is shown', () => {
    const shown = '[Queries and Results]:\nQuery 1:\nSELECT 1\nResult:\nn\n203\n207';
    expect(sentences(reply('careful', 'sequential', 'answer', shown))).toEqual([
      'There are 203',
      'There are 207',
    ]);
    expect(queriesIn(reply('careful', 'sequential', 'queries'))).toHaveLength(rounds.length);
  });

  it('of a model that sees all rows tell about half of the other numbers', () => {
    const told = sentences(reply('careful', 'no-interaction', 'answer', '[Rows]:\nkind\n1'));
    expect(told.length).toBeGreaterThan(15);
    expect(told.length).toBeLessThan(45);
  });

  it('of a careless model stop early in rounds, and never where it plans', () => {
    const needs = (ended: number): string => {
      const known = rounds.slice(0, ended).map((_, place) => `Round ${place + 1}`);
      return reply('careless', 'iterative', 'need', `[Rounds]:\n${known.join('\n')}`);
    };
    expect(needs(59)).toBe('ENOUGH');
    expect(queriesIn(reply('careless', 'sequential', 'queries')).length).toBeGreaterThan(30);
  });

  it('of a careless model lack queries, and have some that fail or find nothing', () => {
    const queries = queriesIn(reply('careless', 'sequential', 'queries'));
    expect(queries).toEqual(queriesIn(reply('careless', 'sequential', 'queries')));
    expect(queries.length).toBeLessThan(rounds.length);
    expect(queries.filter((query) => query.includes('FROM all_boats')).length).toBeGreaterThan(3);
    expect(queries.filter((query) => query.endsWith('WHERE false')).length).toBeGreaterThan(3);
    expect(
      queries.filter((query) => rounds.some((each) => each.query === query)).length,
    ).toBeGreaterThan(20);
  });

  it('of a careless model leave out sentences, and get numbers wrong', () => {
    const shown = `[Queries and Results]:\n${rounds.map((_, place) => 200 + place).join('\n')}`;
    const told = sentences(reply('careless', 'sequential', 'answer', shown));
    expect(told.length).toBeLessThan(50);
    expect(told.length).toBeGreaterThan(20);
    expect(told.filter((each) => each >= 'There are 300').length).toBeGreaterThan(3);
  });
});
