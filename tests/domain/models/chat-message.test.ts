import { expect, it, describe } from 'vitest';
import {
  contentText,
  chatBody,
  type ChatRequest,
  type ChatMessage,
} from '../../../domain/models/chat-message.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';

it('names the pictures among a message’s words by size and kind', () => {
  const url = `data:image/png;base64,${'A'.repeat(4096)}`;
  expect(
    contentText([
      { type: 'text', text: 'Look:' },
      { type: 'image_url', image_url: { url } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
    ]),
  ).toBe('Look:\n[image: 3 KB PNG]\n[image: https://example.org/a.png]');
});

const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } } as const;
const messages: readonly ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Which?' },
];
const request = (changes: Partial<ChatRequest> = {}): ChatRequest => ({
  ...defaultRunConfig.model,
  baseUrl: 'http://127.0.0.1:1/v1',
  model: 'm',
  messages,
  ...changes,
});

describe('chatBody', () => {
  it('holds model, messages and the settings that are set', () => {
    expect(chatBody(request())).toEqual({
      model: 'm',
      messages,
      temperature: 0.7,
      top_p: 0.95,
      max_tokens: 1500,
    });
    expect(
      chatBody(request({ temperature: null, topP: null, seed: 0, reasoningEffort: 'low' })),
    ).toEqual({ model: 'm', messages, max_tokens: 1500, seed: 0, reasoning_effort: 'low' });
  });

  it.each([
    ['https://api.openai.com/v1', 'max_completion_tokens'],
    ['https://eu.api.openai.com/v1', 'max_completion_tokens'],
    ['https://mine.openai.azure.com/openai/v1', 'max_completion_tokens'],
    ['https://openai.com.example.org/v1', 'max_tokens'],
  ] as const)('names the token limit as %s does, unless told otherwise', (baseUrl, field) => {
    expect(chatBody(request({ baseUrl }))).toHaveProperty(field, 1500);
    const other = field === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    expect(chatBody(request({ baseUrl, tokenLimitField: other }))).toHaveProperty(other, 1500);
  });

  it.each(['developer', 'user'] as const)('lets the %s say what the system has to say', (role) => {
    const sent = chatBody(request({ systemRole: role })).messages;
    expect(sent).toEqual([{ role, content: 'Be brief.' }, messages[1]]);
  });

  it('puts the system message at the head of the first user message', () => {
    expect(chatBody(request({ systemRole: 'merged' })).messages).toEqual([
      { role: 'user', content: 'Be brief.\n\nWhich?' },
    ]);
    const withPicture: ChatMessage = { role: 'user', content: [picture] };
    const merged = chatBody(
      request({ systemRole: 'merged', messages: [...messages.slice(0, 1), withPicture] }),
    );
    expect(merged.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Be brief.' }, picture] },
    ]);
  });

  it('offers tools as functions, and keeps what only one server knows', () => {
    const tool = { name: 'GenerateAnswer', description: 'Answer.', parameters: { type: 'object' } };
    const body = chatBody(request({ tools: [tool], extraBody: { top_k: 20, model: 'other' } }));
    expect(body).toMatchObject({
      model: 'm',
      top_k: 20,
      tools: [{ type: 'function', function: tool }],
    });
  });
});
