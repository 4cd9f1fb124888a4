import { describe, expect, it } from 'vitest';
import { toolStatsOf } from '../../../domain/agent/question-result.js';
import { trajectoryText } from '../../../client/views/trajectory-text.js';
import type { StoredPaper } from '../../../domain/stores/store-manifest.js';
import type { Message } from '../../../domain/models/chat-message.js';

const prompt = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');
const messages: readonly Message[] = [
  { role: 'system', content: prompt },
  { role: 'user', content: 'one\ntwo' },
  { role: 'assistant', content: prompt },
];

describe('a conversation for the terminal', () => {
  it('shows how the prompt begins, and replies whole', () => {
    const text = trajectoryText(messages, null, { isWhole: false });
    expect(text).toBe(
      [
        '── system\nline 0\nline 1\nline 2\n… 37 more lines: --prompt shows them',
        '── user\none\ntwo',
        `── assistant\n${prompt}`,
      ].join('\n\n'),
    );
    expect(trajectoryText(messages, null, { isWhole: true })).toContain(`── system\n${prompt}`);
  });

  it('names the papers that the question is about', () => {
    const paper = { paperId: 'p-1', file: 'geese.pdf', title: 'Counting Geese' } as StoredPaper;
    expect(trajectoryText(messages, null, { isWhole: false, papers: [paper] })).toMatch(
      /^── about geese\.pdf, Counting Geese \(p-1\)\n\n── system\n/,
    );
  });

  const tools = toolStatsOf([]);
  it('ends with the reason why there is no answer', () => {
    const outcome = {
      kind: 'infra-error',
      failure: 'ModelRefusedKey',
      message: 'HTTP 401',
    } as const;
    expect(trajectoryText(messages.slice(0, 2), { outcome, tools }, { isWhole: false })).toMatch(
      /\n\n── ended without an answer: infra-error \(ModelRefusedKey\): HTTP 401$/,
    );
    const answered = { outcome: { kind: 'answered' }, tools } as const;
    expect(trajectoryText(messages, answered, { isWhole: false })).not.toContain('ended');
    const odd = {
      ...answered,
      tools: { ...tools, ungrounded: ['42'], answerCutOff: true },
    } as const;
    expect(trajectoryText(messages, odd, { isWhole: false })).toMatch(
      /── the answer was cut off .*\n\n── no observation shows 42$/,
    );
  });
});
