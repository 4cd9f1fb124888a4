import { runIdSchema, storeNameSchema } from '../../../domain/ids.js';
import { noProbes } from '../../../domain/runs/probes.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import type { RunManifest, RunStore } from '../../../domain/runs/run-manifest.js';

/** A manifest as `turnwise run` writes it, for tests that change a part of it. */
export function exampleManifest(): RunManifest & { readonly store: RunStore } {
  return {
    run: runIdSchema.parse('a-run'),
    status: 'running',
    dataset: { path: 'questions.jsonl', fingerprint: 'd1', items: 2 },
    store: {
      name: storeNameSchema.parse('papers'),
      fingerprint: 's1',
      collections: [
        {
          name: 'text_bm25_en',
          embedder: 'bm25/en',
          metric: 'IP',
          vector: { kind: 'sparse' },
          rows: 9,
        },
        {
          name: 'text_hashing_384',
          embedder: 'hashing/384',
          metric: 'COSINE',
          vector: { kind: 'dense', dimensions: 384 },
          rows: 9,
        },
      ],
    },
    databases: {},
    config: {
      ...defaultRunConfig,
      model: { ...defaultRunConfig.model, name: 'a-model', baseUrl: 'http://127.0.0.1:1/v1' },
    },
    versions: {
      turnwise: '0.1.0',
      prompts: '1',
      judgePrompts: '1',
      schema: '1',
      gitRevision: null,
    },
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: null,
    totals: null,
    probes: noProbes,
  };
}
