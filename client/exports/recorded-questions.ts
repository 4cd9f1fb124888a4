import { keyText } from '../../domain/ids.js';
import type { RecordedQuestion } from '../../domain/exports/recorded-question.js';
import { briefingSchema } from '../../domain/questions/briefing.js';
import { samplesOf } from '../../domain/questions/samples.js';
import { briefingFile } from '../../domain/runs/run-layout.js';
import type { RunExport } from './run-export.js';

/** The questions of a run that have ended, in the order of the run, each read from its files as it is asked for. */
export async function* recordedQuestions({
  folder,
  files,
}: RunExport): AsyncGenerator<RecordedQuestion, void> {
  const { manifest, items, results, scores } = files;
  const itemOf = new Map(items.map((item) => [item.uuid, item]));
  const resultOf = new Map(results.map((result) => [keyText(result), result]));
  const scoreOf = new Map(scores.map((score) => [keyText(score), score]));
  for (const key of samplesOf(items, manifest.config.epochs)) {
    const item = itemOf.get(key.uuid);
    const result = resultOf.get(keyText(key));
    if (item === undefined || result === undefined) continue;
    yield {
      manifest,
      item,
      result,
      score: scoreOf.get(keyText(key)) ?? null,
      briefing: await folder.readJson(briefingFile(key), briefingSchema),
      turns: await folder.turns(key),
    };
  }
}
