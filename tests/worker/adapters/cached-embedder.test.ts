import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EmbedderPort, PictureEmbedderPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { createCachedEmbedder, hashingEmbedder } from '../../../worker/adapters/embedders.js';

const never = new AbortController().signal;
const texts = Array.from({ length: 150 }, (_, index) => `text ${index}`);

let folder = '';
let sent: string[] = [];
let failing: string | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-embeddings-'));
  sent = [];
  failing = null;
});

/** A vector of the number in a text, and of a fraction that 32 bits hold. */
const embedder = (changes: Partial<EmbedderPort> = {}): EmbedderPort => ({
  name: 'openai/m',
  endpoint: 'http://127.0.0.1:1/v1',
  collection: 'text_openai_m',
  embed: (some) => {
    if (failing !== null && some.includes(failing)) {
      return Promise.reject(new PortFailure('EmbedderUnavailable', '503'));
    }
    sent.push(...some);
    return Promise.resolve(some.map((text) => [Number(text.split(' ')[1]), 0.25]));
  },
  ...changes,
});

const embed = (changes: Partial<EmbedderPort> = {}, some: readonly string[] = texts) =>
  createCachedEmbedder({ embedder: embedder(changes), folder }).embed(some, never);

describe('a cached embedder', () => {
  it('sends no text twice', async () => {
    const vectors = await embed();
    expect(vectors[149]).toEqual([149, 0.25]);
    expect(await embed()).toEqual(vectors);
    expect(sent).toEqual(texts);
  });

  it('sends no picture twice', async () => {
    const drawn: string[] = [];
    const pictures = createCachedEmbedder<PictureEmbedderPort>({
      folder,
      embedder: {
        ...embedder(),
        embedPictures: (some) => {
          drawn.push(...some.map(({ base64 }) => base64));
          return Promise.resolve(some.map(() => [1, 0.5]));
        },
      },
    });
    const picture = { mimeType: 'image/png', base64: 'aGVsbG8=' } as const;
    expect(await pictures.embedPictures([picture], never)).toEqual([[1, 0.5]]);
    expect(await pictures.embedPictures([picture], never)).toEqual([[1, 0.5]]);
    expect(drawn).toEqual(['aGVsbG8=']);
  });

  it('goes on where it failed', async () => {
    failing = 'text 140';
    await expect(embed()).rejects.toThrow('503');
    failing = null;
    expect(await embed()).toHaveLength(150);
    expect(sent).toEqual(texts);
  });

  it.each([{ endpoint: 'http://127.0.0.1:2/v1' }, { name: 'openai/n' }])(
    'does not take the vectors of others: %j',
    async (other) => {
      await embed({}, ['text 1']);
      await embed(other, ['text 1']);
      expect(sent).toEqual(['text 1', 'text 1']);
    },
  );

  it('asks again where its file is damaged, and does without one that cannot be written', async () => {
    await embed({}, ['text 1', 'text 2']);
    const [file = ''] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.f32'),
    );
    writeFileSync(join(folder, file), 'abc');
    expect(await embed({}, ['text 1', 'text 2'])).toEqual([
      [1, 0.25],
      [2, 0.25],
    ]);
    expect(sent).toHaveLength(4);
    writeFileSync(join(folder, 'no-folder'), '');
    const nowhere = { embedder: embedder(), folder: join(folder, 'no-folder') };
    expect(await createCachedEmbedder(nowhere).embed(['text 3'], never)).toEqual([[3, 0.25]]);
  });

  it('is not needed where nothing is sent anywhere', () => {
    expect(createCachedEmbedder({ embedder: hashingEmbedder, folder })).toBe(hashingEmbedder);
  });
});
