import type { RecordedQuestion } from '../../../client/views/exports/recorded-question.js';
import type { Outcome } from '../../../domain/agent/question-result.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import { exampleManifest } from './example-manifest.js';
import { recordedEndings, recordedItems } from './recorded-run.js';

/** A question of the recorded run in its first epoch, as an export is made of it. */
export function recordedQuestion(
  uuid: string,
  changes: { readonly config?: Partial<RunConfig>; readonly outcome?: Outcome } = {},
): RecordedQuestion {
  const manifest = exampleManifest();
  const item = recordedItems.find((each) => each.uuid === uuid);
  const ending = recordedEndings.find(({ key }) => key.uuid === uuid && key.epoch === 1);
  if (item === undefined || ending?.end == null) throw new Error(`no question ${uuid} has ended`);
  const { result, score } = ending.end;
  return {
    manifest: { ...manifest, config: { ...manifest.config, ...changes.config } },
    item,
    uuid: item.uuid,
    epoch: 1,
    notes: [],
    trace: null,
    panels: [],
    execution: null,
    tables: null,
    result: { ...result, ...(changes.outcome && { outcome: changes.outcome }) },
    score,
    database: null,
    questionContext: null,
    turns: ending.turns,
  };
}
