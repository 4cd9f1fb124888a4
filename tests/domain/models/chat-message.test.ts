import { expect, it } from 'vitest';
import { contentText } from '../../../domain/models/chat-message.js';

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
