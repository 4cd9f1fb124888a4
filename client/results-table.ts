import { preview } from '../domain/preview.js';
import { alignColumns } from './align-columns.js';
import { resultsFile, scoresFile } from '../domain/runs/run-layout.js';
import { resultSchema } from '../domain/questions/result.js';
import { scoreSchema } from '../domain/questions/score.js';
import type { RunFolder } from './run-folder.js';

/** Score and turns with the gaps between columns. */
const narrowColumns = 17;

/** A line a question, at most `width` wide: score, turns, question, answer. For small runs. */
export async function resultsTable(folder: RunFolder, width: number): Promise<string> {
  const results = await folder.readLines(resultsFile, resultSchema);
  const scores = await folder.readLines(scoresFile, scoreSchema);
  const wide = Math.max(40, width - narrowColumns);
  const answerWidth = Math.floor(wide * 0.4);
  const rows = (await folder.items()).flatMap(({ uuid, question }) =>
    results
      .filter((result) => result.uuid === uuid)
      .map(({ epoch, turns, answer, outcome }) => {
        const score = scores.find((other) => other.uuid === uuid && other.epoch === epoch)?.score;
        return [
          score?.toFixed(2) ?? '–',
          String(turns),
          preview(question, wide - answerWidth),
          preview(answer ?? `(${outcome.kind})`, answerWidth),
        ];
      }),
  );
  return alignColumns([['score', 'turns', 'question', 'answer'], ...rows]);
}
