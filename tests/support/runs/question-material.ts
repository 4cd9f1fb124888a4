import type { Action } from '../../../domain/agent/actions/action.js';
import type { QuestionMaterial } from '../../../domain/agent/question-context.js';
import type { FinishedTurn } from '../../../domain/agent/turn-record.js';
import { datasetItemSchema, type DatasetItem } from '../../../domain/scoring/dataset-item.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import { exampleManifest } from './example-manifest.js';

/** What a question's messages are made of, with a configuration and an item that differ from the usual ones. */
export function questionMaterial(
  config: Partial<RunConfig> = {},
  item: Partial<DatasetItem> = {},
  questionContext: QuestionMaterial['questionContext'] = null,
): QuestionMaterial {
  const manifest = exampleManifest();
  return {
    manifest: { ...manifest, config: { ...manifest.config, ...config } },
    item: datasetItemSchema.parse({ uuid: 'q1', question: 'How many turns?', ...item }),
    database: null,
    questionContext,
  };
}

/** A turn that took an action, thinking `so`. */
export function finishedTurn(
  turn: number,
  action: Action,
  observation: string,
  reply: Partial<FinishedTurn['reply']> = {},
): FinishedTurn {
  return {
    observation,
    reply: {
      turn,
      raw: `raw reply ${turn}`,
      reading: { kind: 'action', thought: 'so', action },
      model: 'a-model',
      tokens: null,
      costUsd: null,
      cacheHit: false,
      retries: 0,
      startedAt: '2026-01-01T00:00:00.000Z',
      endedAt: '2026-01-01T00:00:00.000Z',
      ...reply,
    },
  };
}
