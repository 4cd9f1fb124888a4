import { describe, expect, it } from 'vitest';
import { enrichmentMessages, type Item } from '../../domain/enrichment/job.js';
import { readReply } from '../../domain/enrichment/asked-paper.js';
import { contentText } from '../../domain/models/chat-message.js';
import { chatRequestSchema, requestKey } from '../../simulator/chat-request.js';
import { simulatedEnrichment } from '../../simulator/simulated-enrichment.js';
import { encodePng } from '../../worker/adapters/pdfium/draw-page.js';

const png = (width: number, height: number): string => {
  const bytes = encodePng({ width, height, rgb: new Uint8Array(width * height * 3) });
  return `data:image/png;base64,${bytes.toString('base64')}`;
};

const page = 'Geese on a river are counted best from a bridge at dusk, when they rest.';
const itemOf = (kind: Item['kind'], label: string, text: string): Item => ({
  ...{ kind, key: '', picture: { page: 1, box: [] } },
  texts: text === '' ? [] : [{ label, text }],
});
const asking = (item: Item, url: string | null = null) =>
  chatRequestSchema.parse({ model: 'm', messages: enrichmentMessages(item, url) });

describe('the simulated model as one that enriches papers', () => {
  it('repeats the first words of a text', () => {
    const request = asking(itemOf('pages', 'page', page));
    expect(simulatedEnrichment(request)).toBe(
      'Simulated summary of a page: Geese on a river are counted best from a bridge at dusk,.',
    );
  });

  it('says how large a picture is, and tells two pictures apart', () => {
    const item = itemOf('images', 'caption', 'Figure 1: A goose.');
    const [one, other] = [asking(item, png(3, 2)), asking(item, png(3, 4))];
    expect(simulatedEnrichment(one)).toMatch(
      /^Simulated summary of a figure: Figure 1: A goose\.; a picture of 3 x 2 dots [0-9a-f]{8}\.$/,
    );
    expect(simulatedEnrichment(other)).toContain('3 x 4 dots');
    expect(requestKey(one)).not.toBe(requestKey(other));
  });

  it('reads any scanned page, and catalogues any paper', () => {
    const scan = simulatedEnrichment(asking(itemOf('scans', '', ''), png(17, 22))) ?? '';
    expect(readReply('scans', { raw: scan, cutOff: false })).toMatchObject({ kind: 'text' });
    expect(scan).toContain('a picture of 17 x 22 dots');
    const entry = simulatedEnrichment(asking(itemOf('metadata', 'abstract', page))) ?? '';
    expect(readReply('metadata', { raw: entry, cutOff: false })).toEqual({
      ...{ kind: 'catalogued', tldr: 'Simulated: Geese on a river are counted best from' },
      tags: ['counted'],
      title: page,
    });
  });

  it('is also known where the instructions stand in the message of the user', () => {
    const messages = enrichmentMessages(itemOf('pages', 'page', page), null);
    const content = messages.map((message) => contentText(message.content)).join('\n\n');
    const request = chatRequestSchema.parse({ model: 'm', messages: [{ role: 'user', content }] });
    expect(simulatedEnrichment(request)).toContain('Simulated summary of a page: Geese');
  });

  it('says nothing to other requests', () => {
    const request = chatRequestSchema.parse({
      ...{ model: 'm', messages: [{ role: 'user', content: page }] },
    });
    expect(simulatedEnrichment(request)).toBeUndefined();
  });
});
