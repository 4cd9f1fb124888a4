import { describe, expect, it } from 'vitest';
import type { Message } from '../../../domain/questions/message.js';
import { firstTurnInWindow, windowMessages } from '../../../domain/questions/window.js';

/** Opening messages and `turns` turns, numbered. */
const conversation = (turns: number): readonly Message[] => [
  { role: 'system', content: 'system' },
  { role: 'user', content: 'task' },
  ...Array.from({ length: turns }, (_, index): Message[] => [
    { role: 'assistant', content: `say ${index + 1}` },
    { role: 'user', content: `see ${index + 1}` },
  ]).flat(),
];

describe.each([
  { turns: 0, windowSize: 5, kept: [] },
  { turns: 5, windowSize: 5, kept: [1, 2, 3, 4, 5] },
  { turns: 6, windowSize: 5, kept: [2, 3, 4, 5, 6] },
  { turns: 3, windowSize: 1, kept: [3] },
  { turns: 3, windowSize: 0, kept: [] },
])('a window of $windowSize after $turns turns', ({ turns, windowSize, kept }) => {
  it('sends the opening messages and the last turns', () => {
    expect(windowMessages(conversation(turns), windowSize).map(({ content }) => content)).toEqual([
      'system',
      'task',
      ...kept.flatMap((turn) => [`say ${turn}`, `see ${turn}`]),
    ]);
  });

  it('begins with the turn it says it begins with', () => {
    expect(firstTurnInWindow(turns + 1, windowSize)).toBe(kept[0] ?? turns + 1);
  });
});
