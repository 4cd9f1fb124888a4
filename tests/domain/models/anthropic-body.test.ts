import { expect, it } from 'vitest';
import { anthropicBody } from '../../../domain/models/apis/request-body.js';
import type { ChatRequest } from '../../../domain/models/chat-message.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';

const bodyOf = (changes: Partial<ChatRequest>) =>
  anthropicBody({
    ...defaultRunConfig.model,
    baseUrl: 'https://api.anthropic.com',
    model: 'm',
    messages: [
      { role: 'system', content: 'Be' },
      { role: 'system', content: 'brief.' },
      { role: 'user', content: 'Which?' },
    ],
    ...changes,
  });
const talk: ChatRequest['messages'] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Which?' },
  { role: 'assistant', content: 'I look.' },
  { role: 'user', content: 'Seen.' },
  { role: 'user', content: 'And now?' },
];
const mark = { type: 'ephemeral' };
const hour = { type: 'ephemeral', ttl: '1h' };
const text = (words: string, more: object = {}): object => ({ type: 'text', text: words, ...more });

it('marks the end of the instructions, which all questions share', () => {
  expect(bodyOf({})).toMatchObject({
    system: [text('Be\n\nbrief.', { cache_control: mark })],
    messages: [{ role: 'user', content: [text('Which?')] }],
  });
});

it('marks the end of what the next request has, too', () => {
  const opening = bodyOf({ messages: talk, kept: 2 }).messages;
  expect(opening).toMatchObject([{ content: [text('Which?', { cache_control: mark })] }, {}, {}]);
  expect(JSON.stringify(opening).match(/cache_control/g)).toHaveLength(1);
  expect(bodyOf({ messages: talk, kept: talk.length }).messages).toEqual([
    { role: 'user', content: [text('Which?')] },
    { role: 'assistant', content: [text('I look.')] },
    { role: 'user', content: [text('Seen.'), text('And now?', { cache_control: mark })] },
  ]);
});

it.each<[string, Partial<ChatRequest>, object]>([
  ['no request is to follow', { messages: talk }, { system: [{}] }],
  [
    'extraBody marks the end, whose time holds for the instructions, too',
    { messages: talk, kept: 5, extraBody: { cache_control: hour } },
    { cache_control: hour, system: [text('Be brief.', { cache_control: hour })] },
  ],
  [
    'extraBody turns marks off',
    { messages: talk, kept: 5, extraBody: { cache_control: null } },
    { cache_control: null, system: 'Be brief.' },
  ],
  ['there is nothing to mark', { messages: [{ role: 'system', content: ' ' }] }, { system: ' ' }],
])('marks no end of a conversation where %s', (_, changes, expected) => {
  const body = bodyOf(changes);
  expect(body).toMatchObject(expected);
  expect(JSON.stringify(body.messages)).not.toContain('cache_control');
});
