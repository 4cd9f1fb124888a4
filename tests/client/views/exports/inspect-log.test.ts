import { expect, it } from 'vitest';
import { inspectHeader, inspectStart } from '../../../../client/views/exports/inspect-log.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';
import { recordedEndings, recordedItems } from '../../../support/runs/recorded-run.js';

const manifest = { ...exampleManifest(), config: { ...exampleManifest().config, epochs: 2 } };
const ends = recordedEndings.flatMap(({ end }) => end ?? []);
const records = {
  manifest: { ...manifest, dataset: { ...manifest.dataset, items: recordedItems.length } },
  items: recordedItems,
  results: ends.map(({ result }) => result),
  scores: ends.map(({ score }) => score),
  notes: [],
  rulings: [],
};

it('counts the questions, the ended ones and the scored ones', () => {
  expect(inspectHeader(records)).toMatchObject({
    version: 2,
    status: 'started',
    eval: { run_id: 'a-run', task: 'questions', model: 'a-model', dataset: { samples: 6 } },
    results: {
      total_samples: 12,
      completed_samples: 5,
      scores: [
        {
          scored_samples: 4,
          unscored_samples: 2,
          metrics: { mean: { value: 0.25 } },
          metadata: { scorable: 12, unresolved: 8 },
        },
      ],
    },
    stats: { completed_at: '', model_usage: { 'a-model-2026': { output_tokens: 80 } } },
  });
});

it('has no mean if nothing is scored', () => {
  const header = inspectHeader({ ...records, results: [], scores: [] });
  expect(header['results']).toMatchObject({
    total_samples: 12,
    completed_samples: 0,
    scores: [{ scored_samples: 0, unscored_samples: 0, metrics: {} }],
  });
});

it.each([
  ['running', 'started'],
  ['done', 'success'],
  ['cancelled', 'cancelled'],
] as const)('calls a run that is %s %s', (status, called) => {
  const header = inspectHeader({ ...records, manifest: { ...records.manifest, status } });
  expect(header['status']).toBe(called);
});

it('has a start entry with what is known before the run', () => {
  expect(inspectStart(records)).toEqual(
    expect.objectContaining({ version: 2, eval: inspectHeader(records)['eval'] }),
  );
});
