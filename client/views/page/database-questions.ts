import { preview } from '../../../domain/formats/text.js';
import { keyText, type SampleKey } from '../../../domain/ids.js';
import { validQueries, type AnswerRecord } from '../../../domain/runs/database-qa/answer-record.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import type { DatabaseRun } from '../../runs/database-qa/database-runs.js';
import { comparisonAddress, trajectoryAddress } from './document.js';
import { markup, type Markup } from './markup.js';
import { questionColumn, textColumn } from './question-columns.js';
import { answerShown, tableOfQuestions, type TableColumn } from './questions-table.js';

/** A question and its answer in each run, in the order of the runs; null where a run has none. */
interface AskedQuestion extends SampleKey {
  readonly question: string;
  readonly category: string;
  readonly item: DatasetItem;
  readonly answers: readonly (AnswerRecord | null)[];
}

/**
 * A table of all questions with the verdicts and valid queries of each run. A question opens the first two runs side by side, a verdict its run
 * alone, and a link the run beside the first.
 */
export function databaseQuestions(
  runs: readonly DatabaseRun[],
  uuids: ReadonlySet<string>,
): Markup {
  const names = runs.map(({ folder }) => folder.run);
  const [first = '', second] = names;
  return tableOfQuestions<AskedQuestion>({
    caption: 'Every question with its gold answer and the verdict of each run',
    columns: [
      questionColumn,
      textColumn('category', ({ category }) => category),
      textColumn(
        'gold',
        ({ item }) => preview(item.referenceAnswer ?? '', answerShown),
        'answer gold',
      ),
      ...names.map((name, at) => answerColumn(name, at, first)),
    ],
    rows: questionsOf(runs).filter(({ uuid }) => uuids.has(uuid)),
    address: (row) =>
      second === undefined ? trajectoryAddress(first, row) : comparisonAddress(first, second, row),
    filters: {
      category: ({ category }) => [category],
      verdict: ({ answers }) => answers.map(verdictText),
      tag: ({ item }) => [...new Set(item.tags)],
    },
  });
}

function questionsOf(runs: readonly DatabaseRun[]): readonly AskedQuestion[] {
  const answerOf = runs.map(
    ({ answers }) => new Map(answers.map((answer) => [keyText(answer), answer])),
  );
  const questions = new Map<string, AskedQuestion>();
  for (const { files } of runs) {
    for (const item of files.items) {
      for (let epoch = 1; epoch <= files.manifest.config.epochs; epoch += 1) {
        const { uuid, question, category = 'without category' } = item;
        const key = keyText({ uuid, epoch });
        const answers = answerOf.map((answers) => answers.get(key) ?? null);
        questions.set(key, { uuid, epoch, question, category, item, answers });
      }
    }
  }
  return [...questions.values()];
}

/** The verdicts of a run. */
const answerColumn = (name: string, at: number, first: string): TableColumn<AskedQuestion> => ({
  name,
  value: () => null,
  text: (row) => {
    const answer = row.answers[at] ?? null;
    const beside =
      at > 1
        ? markup`<a class="under" href="#${comparisonAddress(first, name, row)}">beside the first</a>`
        : null;
    const queries =
      answer && answer.method !== 'no-interaction'
        ? markup`<span class="under">${validQueries(answer)} valid</span>`
        : null;
    return markup`<a href="#${trajectoryAddress(name, row)}">${verdictText(answer)}</a>${queries}${beside}`;
  },
});

/** `match`, `no match`, `4 of 5`, the outcome without an answer, or why an answer has no score. */
function verdictText(answer: AnswerRecord | null): string {
  if (answer === null) return 'not ended';
  const { category, verdict, outcome } = answer;
  if (outcome !== 'answered' && verdict?.kind !== 'scored') return outcome;
  if (verdict === null) return 'not judged';
  if (verdict.kind === 'unscored') return verdict.reason;
  if (category === 'interpretive') return `${Number(verdict.score.toFixed(2))} of 5`;
  return verdict.score === 1 ? 'match' : 'no match';
}
