import { describe, expect, it } from 'vitest';
import { createCheckEmbedder, embedderOf } from '../../../activities/ingestion/embedder.js';
import type { EmbedderPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { FailureType } from '../../../domain/failure-type.js';
import { hashingName, miniLmName } from '../../../domain/embedders.js';
import { runActivity } from '../../support/run-activity.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { testEmbedders } from '../../support/stores/store-ports.js';

const failing = (type: FailureType, endpoint: string | null): EmbedderPort => ({
  ...testEmbedders(hashingName),
  endpoint,
  ready: () => Promise.reject(new PortFailure(type, 'it cannot')),
});
const check = (embedder: EmbedderPort): Promise<void> =>
  runActivity(createCheckEmbedder({ embedders: () => embedder }), { embedder: 'x' });

describe('the check of an embedder', () => {
  it('passes where nothing is needed', async () => {
    await check(testEmbedders(hashingName));
  });

  it.each<[string, FailureType, string | null]>([
    ['the files of a model are not to be had', 'EmbedderUnavailable', null],
    ['an endpoint refuses the key', 'ModelRefusedKey', 'http://127.0.0.1:1/v1'],
  ])('refuses at once where %s', async (_, type, endpoint) => {
    await expect(check(failing(type, endpoint))).rejects.toMatchObject({
      ...{ type: 'EmbedderMissing', message: 'it cannot', nonRetryable: true },
    });
  });

  it('is made again where an endpoint has an outage', async () => {
    const outage = failing('EmbedderUnavailable', 'http://127.0.0.1:1/v1');
    await expect(check(outage)).rejects.toMatchObject({ type: 'EmbedderUnavailable' });
  });
});

it('embeds with what is wanted, else with what the store has, else with MiniLM', () => {
  expect(embedderOf(testEmbedders, exampleManifest().store, miniLmName).name).toBe(miniLmName);
  expect(embedderOf(testEmbedders, exampleManifest().store).name).toBe(hashingName);
  expect(embedderOf(testEmbedders, null).name).toBe(miniLmName);
});
