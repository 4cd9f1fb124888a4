import { describe, expect, it } from 'vitest';
import {
  firstTurnInWindow,
  openingShortfall,
  turnRequest,
  turnShortfall,
} from '../../../domain/agent/conversation.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import { finishedTurn, questionMaterial } from '../../support/runs/question-material.js';

it.each([
  { turn: 1, windowSize: 5, first: 1 },
  { turn: 6, windowSize: 5, first: 1 },
  { turn: 7, windowSize: 5, first: 2 },
  { turn: 4, windowSize: 1, first: 3 },
  { turn: 4, windowSize: 0, first: 4 },
])('turn $turn with a window of $windowSize sees turns from $first on', (row) => {
  expect(firstTurnInWindow(row.turn, row.windowSize)).toBe(row.first);
});

it.each<[string, Partial<RunConfig>, number, number | undefined, number?]>([
  ['all of the first turn', {}, 1, 2],
  ['all while the window holds every turn', { windowSize: 2 }, 2, 4],
  ['the opening, when the window leaves turns out', { windowSize: 2 }, 3, 2],
  ['the opening, where the context leaves turns out', {}, 3, 2, 1],
  ['the opening, without a window', { windowSize: 0 }, 1, 2],
  ['nothing, by a method of one call', { method: 'trivial_question_only' }, 1, undefined],
])('keeps in the next request %s', (_, config, turn, kept, sent = turn - 1) => {
  const turns = [...Array(sent).keys()].flatMap(
    () =>
      [
        { role: 'assistant', content: 'I look.' },
        { role: 'user', content: 'Seen.' },
      ] as const,
  );
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Which?' },
    ...turns,
  ] as const;
  expect(turnRequest(questionMaterial(config).manifest.config, turn, messages).kept).toBe(kept);
});

const shortfall = (config: Partial<RunConfig>): ReturnType<typeof openingShortfall> => {
  const { manifest, item } = questionMaterial(config);
  return openingShortfall(manifest, item);
};

describe('a context', () => {
  it('nobody has told the length of has room', () => {
    expect(shortfall({})).toBeNull();
  });

  it('is too short where it does not hold schemas and reply', () => {
    const opening = shortfall({ contextTokens: 1200 })?.needed ?? 0;
    expect(opening).toBeGreaterThan(2000);
    const room = opening + questionMaterial().manifest.config.model.maxTokens;
    expect(shortfall({ contextTokens: room })).toBeNull();
    expect(shortfall({ contextTokens: room - 1 })).toEqual({ needed: opening, room: opening - 1 });
    expect(shortfall({ contextTokens: room - 1, strict: true })).toBeNull();
  });

  it('may be short for a method that sends little', () => {
    expect(shortfall({ contextTokens: 2500, method: 'trivial_question_only' })).toBeNull();
  });
});

describe('a turn', () => {
  const query = { kind: 'RetrieveFromDatabase', sql: 'SELECT 1' } as const;
  const needed = (...observations: readonly string[]): number =>
    turnShortfall(
      questionMaterial({ contextTokens: 1200 }),
      1 + observations.length,
      observations.map((observation, index) => finishedTurn(index + 1, query, observation)),
    )?.needed ?? 0;

  it('has to have room for the opening and the turn before it', () => {
    expect(needed('row '.repeat(500))).toBeGreaterThan(500 + needed());
    expect(needed('earlier '.repeat(900), 'late')).toBe(needed('late'));
  });

  it('of a judge has to have room for all that is judged', () => {
    const asked = { kind: 'QueryGraph', query: 'How many?' } as const;
    const graph = (...turns: readonly number[]): number =>
      turnShortfall(
        questionMaterial({ contextTokens: 1, method: 'iterative_graph_rag' }),
        1 + turns.length,
        turns.map((turn) => finishedTurn(turn, asked, 'answer '.repeat(100))),
      )?.needed ?? 0;
    expect(graph(1, 2)).toBeGreaterThan(100 + graph(1));
  });
});
