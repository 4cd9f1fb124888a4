import { datasetItemSchema } from '../domain/questions/dataset-item.js';
import { preview } from '../domain/preview.js';
import { resultSchema } from '../domain/questions/result.js';
import { datasetFile, resultsFile, scoresFile } from '../domain/runs/run-layout.js';
import { scoreSchema } from '../domain/questions/score.js';
import type { RunFolder } from './run-folder.js';

/** A line a question: score, turns, question, answer. For small runs. */
export function resultsTable(folder: RunFolder): string {
  const results = folder.readLines(resultsFile, resultSchema);
  const scores = folder.readLines(scoresFile, scoreSchema);
  return folder
    .readLines(datasetFile, datasetItemSchema)
    .flatMap((item) =>
      results.filter(({ uuid }) => uuid === item.uuid).map((result) => ({ item, result })),
    )
    .map(({ item, result }) => {
      const score = scores.find(
        ({ uuid, epoch }) => uuid === result.uuid && epoch === result.epoch,
      );
      return [
        score?.score === null || score === undefined ? ' –' : score.score.toFixed(2).padStart(4),
        `${result.turns} turns`.padStart(8),
        preview(item.question, 60).padEnd(60),
        preview(result.answer ?? `(${result.outcome.kind})`, 40),
      ].join('  ');
    })
    .join('\n');
}
