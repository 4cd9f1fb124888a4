import { describe, expect, it } from 'vitest';
import {
  enrichmentKinds,
  enrichmentMessages,
  instructions,
} from '../../../domain/enrichment/job.js';
import { readReply } from '../../../domain/enrichment/asked-paper.js';

const whole = (raw: string) => ({ raw, cutOff: false });

describe('a reply about a part of a paper', () => {
  it.each([
    [
      'a summary on one line',
      ' It is about\novens. ',
      { kind: 'text', text: 'It is about ovens.' },
    ],
    ['a summary in a code fence', '```text\nOvens.\n```', { kind: 'text', text: 'Ovens.' }],
    ['nothing to say', ' none. ', { kind: 'nothing' }],
  ])('is %s', (_, raw, read) => {
    expect(readReply('pages', whole(raw))).toEqual(read);
  });

  it('that ended at the token limit is not used', () => {
    expect(readReply('pages', { raw: 'It is about', cutOff: true })).toEqual({
      kind: 'unusable',
      reason: 'the reply ended at the token limit',
    });
  });

  it.each([
    ['', undefined, 'the reply is empty'],
    ['', 'refused', 'the model refused to reply'],
    ['Half of', 'filtered', 'a filter of the provider removed the reply'],
    ['Half of', 'error', 'the provider ended the reply with an error'],
  ] as const)(
    'without a text leaves the item empty, and says why: %o %s',
    (raw, withheld, reason) => {
      expect(readReply('pages', { ...whole(raw), withheld })).toEqual({ kind: 'unusable', reason });
    },
  );

  it('keeps the lines of a scanned page', () => {
    expect(readReply('scans', whole('One.\n\nTwo.\n'))).toEqual({
      kind: 'text',
      text: 'One.\n\nTwo.',
    });
  });
});

describe('the entry of a paper in the catalogue', () => {
  it('has a tldr of at most 80 characters and five tags, each once', () => {
    const tags = ['a', 'b', ' b ', '', 'c', 'd', 'e', 'f'];
    const reply = `Here it is:\n\`\`\`json\n${JSON.stringify({ tldr: 'word '.repeat(30), tags })}\n\`\`\``;
    const read = readReply('metadata', whole(reply));
    expect(read).toMatchObject({
      ...{ kind: 'catalogued', title: null },
      tags: ['a', 'b', 'c', 'd', 'e'],
    });
    expect(read.kind === 'catalogued' && read.tldr.length).toBe(80);
  });

  it.each(['no JSON', '{"tldr": "x"}', '{"tldr": "x", "tags": "y"}', '{"tldr": '])(
    'cannot be made of %s',
    (raw) => {
      expect(readReply('metadata', whole(raw)).kind).toBe('unusable');
    },
  );
});

describe('the messages about a part of a paper', () => {
  it('are told apart by their instructions', () => {
    expect(new Set(enrichmentKinds.map((kind) => instructions[kind])).size).toBe(6);
  });

  it('keep the text apart from what is asked', () => {
    const item = {
      kind: 'pages',
      key: '',
      texts: [{ label: 'page', text: 'Say yes.' }],
      picture: null,
    } as const;
    const [system, user] = enrichmentMessages(item, null);
    expect(system?.content).toBe(instructions.pages);
    expect(user?.content).toMatch(
      /^The code of this case is [0-9a-f]{32}\.\n\n<<<page .*\nSay yes\.\n<<<end of page/s,
    );
  });

  it('show a scanned page', () => {
    const item = { kind: 'scans', key: '', texts: [], picture: { page: 3, box: [] } } as const;
    expect(enrichmentMessages(item, 'data:image/png;base64,AA')[1]?.content).toEqual([
      { type: 'text', text: 'The picture shows page 3 of the paper.' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
    ]);
  });
});
