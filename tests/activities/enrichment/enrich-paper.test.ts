import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createCountEnrichment,
  createEnrichItem,
  createFindOpenItems,
  createOpenEnrichment,
} from '../../../activities/enrichment/enrich-paper.js';
import type { ModelPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { PictureOutcome, PicturesPort } from '../../../activities/ports/tools.js';
import { noBills, worstCase } from '../../../domain/budget/amount.js';
import {
  enrichmentIdOf,
  enrichmentJobFile,
  enrichmentFolder,
  type EnrichmentJob,
} from '../../../domain/enrichment/job.js';
import { storeNameSchema } from '../../../domain/ids.js';
import { hasImage } from '../../../domain/models/chat-message.js';
import { keptPaperSchema } from '../../../domain/stores/paper-tables.js';
import { extractedPaperFile, storeFolder } from '../../../domain/stores/store-manifest.js';
import { jsonText, writeFileAtomically } from '../../../storage/atomic-file.js';
import { createEnrichmentFiles } from '../../../worker/adapters/files/job-files.js';
import { createPaperFiles } from '../../../worker/adapters/files/paper-files.js';
import { jobOf, scannedRows, sha256 } from '../../support/enrichment/enriched-paper.js';
import { FakeModel } from '../../support/fakes/fake-model.js';
import { leftBy, OutageAfterReply } from '../../support/fakes/outage.js';
import { openKeys } from '../../support/model-calls/open-keys.js';
import { runActivity } from '../../support/run-activity.js';
import { placeAt } from '../../support/stores/place-at.js';

const store = storeNameSchema.parse('papers');
/** Of the paper of `scannedRows`. */
const [secondScan, firstPage, secondPage, metadata] = [1, 2, 3, 7];

const png: PictureOutcome = { kind: 'picture', picture: { mimeType: 'image/png', base64: 'AA' } };

async function enriched(changes: Partial<EnrichmentJob> = {}, drawn: PictureOutcome = png) {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-enriched-'));
  const folder = join(home, storeFolder(store));
  const job = jobOf(changes);
  const id = enrichmentIdOf(job);
  await writeFileAtomically(join(folder, enrichmentJobFile(id)), jsonText(job));
  const kept = keptPaperSchema.parse({
    ...{ imported: 1, file: 'ovens.pdf', path: 'ovens.pdf', sha256, rows: scannedRows() },
  });
  await writeFileAtomically(join(folder, extractedPaperFile(sha256)), jsonText(kept));
  const shown: unknown[] = [];
  const pictures: Pick<PicturesPort, 'ofPdf'> = {
    ofPdf: (request) => {
      shown.push(request);
      return Promise.resolve(drawn);
    },
  };
  const ports = {
    enrichment: createEnrichmentFiles(placeAt(home).storage),
    paperFiles: createPaperFiles(placeAt(home).storage, placeAt(home).copies),
    clock: { now: () => '2026-01-01T00:00:00.000Z' },
    pictures: { ...pictures, ofPage: () => Promise.reject(new Error('nobody asks for a page')) },
    storeForMs: 0,
  };
  const ref = { store, job: id };
  const records = join(folder, enrichmentFolder(sha256));
  const find = (from = 0) => runActivity(createFindOpenItems(ports), { ...ref, from });
  const keyOf = openKeys(find);
  return {
    ports,
    ref,
    records,
    shown,
    find,
    ask: async (model: ModelPort, member: number) => {
      const key = await keyOf({ index: 0, member });
      return runActivity(createEnrichItem({ ...ports, model }), { ...ref, index: 0, member, key });
    },
    count: () => runActivity(createCountEnrichment(ports), ref),
  };
}

const membersOf = (calls: readonly { readonly member: number }[]): readonly number[] =>
  calls.map(({ member }) => member);

describe('the open questions about papers', () => {
  it('name the place of their item and the most that each may cost', async () => {
    const { find } = await enriched();
    const { open, next } = await find();
    expect(next).toBeNull();
    expect(membersOf(open)).toEqual([secondScan, firstPage, 4, 5, 6, metadata]);
    expect(Math.min(...open.map(({ size }) => worstCase(size, noBills).usd))).toBeGreaterThan(0);
  });

  it('are looked for in batches, and are none about papers whose text is lost', async () => {
    const lost = { paperId: '22222222-2222-4222-8222-222222222222', file: 'lost.pdf' };
    const papers = [
      ...Array.from({ length: 22 }, () => ({ ...lost, sha256: 'b'.repeat(64) })),
      ...jobOf().papers,
    ];
    const { find, count } = await enriched({ papers });
    expect(await find()).toEqual({ open: [], next: 20 });
    const { open, next } = await find(20);
    expect([new Set(open.map(({ index }) => index)), next]).toEqual([new Set([22]), null]);
    expect(await count()).toMatchObject({ lost: 22, kinds: { pages: { items: 1 } } });
  });
});

describe('a question about an item', () => {
  it('is paid for once', async () => {
    const { ask, find, count, records } = await enriched();
    const model = new FakeModel('A page about ovens.');
    const paid = { kind: 'made', spent: { usd: 0.00012, tokens: 110 } };
    expect(await ask(model, firstPage)).toMatchObject(paid);
    // By a worker that takes over from one that was lost after it had stored the reply.
    expect(await ask(model, firstPage)).toMatchObject(paid);
    expect(model.requests).toHaveLength(1);
    expect(readdirSync(records)).toHaveLength(1);
    expect(membersOf((await find()).open)).not.toContain(firstPage);
    expect(await count()).toMatchObject({ spent: { tokens: 110 }, unpriced: 0 });
  });

  it('is paid for once through an outage that is longer than its attempts', async () => {
    const { ports, ref, find } = await enriched();
    const outage = new OutageAfterReply('A page about ovens.');
    const away = { ...ports, enrichment: outage.over(ports.enrichment), model: outage.model };
    const { open } = await find();
    const key = open.find(({ member }) => member === firstPage)?.key ?? '';
    const attempt = (heartbeatDetails?: unknown) =>
      runActivity(
        createEnrichItem(away),
        { ...ref, index: 0, member: firstPage, key },
        { heartbeatDetails },
      );
    const paid: unknown = expect.objectContaining({ raw: 'A page about ovens.' });
    const first = await leftBy(attempt());
    expect(first).toMatchObject({ failed: 1, paid });
    // Nothing can be read either.
    const second = await leftBy(attempt(first));
    expect(second).toMatchObject({ failed: 2, paid });
    outage.end();
    expect(await attempt(second)).toMatchObject({ kind: 'made' });
    expect(outage.calls).toBe(1);
  });

  it('opens that about the text of a scanned page', async () => {
    const { ask, shown } = await enriched();
    const model = new FakeModel(
      'The dry meadow held 57 fireflies, and moonlight halves the count.',
    );
    const made = await ask(model, secondScan);
    expect(made.kind === 'made' && membersOf(made.opened)).toEqual([2, secondPage, 4, 5, 6, 7]);
    expect(shown).toMatchObject([{ store, sha256, page: 2, box: [] }]);
    expect(model.requests[0]?.messages.some(hasImage)).toBe(true);
  });

  it('fails for good where the picture cannot be drawn, and costs nothing', async () => {
    const { ask, records } = await enriched(
      {},
      { kind: 'picture-error', message: 'it is damaged' },
    );
    await expect(ask(new FakeModel(), secondScan)).rejects.toMatchObject({
      type: 'UnreadablePdf',
      message: 'no picture of page 2: it is damaged',
      nonRetryable: true,
    });
    expect(() => readdirSync(records)).toThrow();
  });

  it('is put off while the provider takes none', async () => {
    const { ask } = await enriched();
    const full = new PortFailure('ModelDeferred', 'no credit', { retryAfterMs: 5 });
    expect(await ask(new FakeModel(full), firstPage)).toMatchObject({
      kind: 'deferred',
      message: 'no credit',
    });
  });

  it('keeps a reply that cannot be used, and counts it', async () => {
    const { ask, count, find } = await enriched();
    await ask(new FakeModel('I would rather not.'), metadata);
    expect(membersOf((await find()).open)).not.toContain(metadata);
    expect(await count()).toMatchObject({
      kinds: { metadata: { items: 1, answered: 0, unusable: 1 } },
      unusable: { 'the reply has no JSON object with tldr and tags': 1 },
    });
  });

  it('ends after one call where the model refuses, and the others are asked', async () => {
    const { ask, count, find } = await enriched();
    const tokens = { prompt: 100, completion: 10, cached: 0 };
    const refusal = { content: '', finishReason: 'refused', model: 'odd', tokens } as const;
    const refusing = { complete: () => Promise.resolve(refusal) };
    expect(await ask(refusing, firstPage)).toMatchObject({ spent: { tokens: 110 } });
    expect(membersOf((await find()).open)).not.toContain(firstPage);
    expect(membersOf((await find()).open)).toContain(metadata);
    expect(await count()).toMatchObject({ unusable: { 'the model refused to reply': 1 } });
  });

  it('is asked again where its stored reply is damaged', async () => {
    const { ask, records, find } = await enriched();
    await ask(new FakeModel('A page about ovens.'), firstPage);
    const [name = ''] = readdirSync(records);
    await mkdir(records, { recursive: true });
    writeFileSync(join(records, name), '{"question"');
    expect(membersOf((await find()).open)).toContain(firstPage);
    expect(await ask(new FakeModel('Ovens.'), firstPage)).toMatchObject({ spent: { tokens: 110 } });
    expect(membersOf((await find()).open)).not.toContain(firstPage);
  });
});

describe('an enrichment', () => {
  const manifest = {
    files: {},
    ...{ name: store, key: 'k', generation: 1, fingerprint: 'f', builtAt: '', papers: [] },
    collections: [
      {
        ...{
          name: 'text_hashing_384',
          embedder: 'hashing/384',
          metric: 'COSINE' as const,
          rows: 1,
        },
        vector: { kind: 'dense' as const, dimensions: 384 },
      },
    ],
  };
  const opened = async (pictures: string | null, found: typeof manifest | null = manifest) => {
    const { ports, ref, ask } = await enriched();
    await ask(new FakeModel('A page about ovens.'), firstPage);
    const unused = () => Promise.reject(new Error('nothing else is needed'));
    const pictureEmbedderOf = (name: string) => ({
      ...{ name, endpoint: null, collection: 'image_x', embed: unused, embedPictures: unused },
    });
    const open = createOpenEnrichment({
      ...ports,
      pictureEmbedder: pictures === null ? null : pictureEmbedderOf(pictures),
      storeWriter: {
        ...{ isWhole: unused, draft: unused, writeDraft: unused, writeTables: unused },
        ...{ writeBm25: unused, publish: unused, manifest: () => Promise.resolve(found) },
      },
    });
    return runActivity(open, ref);
  };

  it('begins with what was spent before', async () => {
    expect(await opened(null)).toEqual({ usd: 0.00012, tokens: 110 });
  });

  it('does not begin where its store could not be built afterwards', async () => {
    await expect(opened('vllm/clip')).rejects.toThrow(/has vectors of no pictures, and the worker/);
    await expect(opened(null, null)).rejects.toThrow('There is no store papers.');
  });
});
