import { preview } from '../../../domain/formats/text.js';
import { keyText, type SampleKey } from '../../../domain/ids.js';
import { validQueries, type AnswerRecord } from '../../../domain/runs/database-qa/answer-record.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import type { DatabaseRun } from '../../runs/database-qa/database-runs.js';
import { comparisonAddress, trajectoryAddress } from './document.js';
import { markup, sortHead, type Markup } from './markup.js';
import { filterForm } from './questions-table.js';

/** The most characters of a gold answer in the table; the question's own view shows all. */
const goldShown = 120;

/** A question and its answer in each run, in the order of the runs; null where a run has none. */
interface AskedQuestion extends SampleKey {
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
  const questions = questionsOf(runs).filter(({ uuid }) => uuids.has(uuid));
  const names = runs.map(({ folder }) => folder.run);
  return markup`${filterForm({
    category: questions.map(({ item }) => categoryOf(item)),
    verdict: questions.flatMap(({ answers }) => answers.map(verdictText)),
    ...(questions.some(({ item }) => item.tags.length > 0) && {
      tag: questions.flatMap(({ item }) => [...new Set(item.tags)]),
    }),
  })}
<div class="wide"><table class="questions" id="questions-table">
<caption class="unseen">Every question with its gold answer and the verdict of each run</caption>
<thead><tr>${sortHead('question', 'text')}${sortHead('category', 'text')}${sortHead('gold', 'text')}${names.map((name) => sortHead(name, 'text'))}</tr></thead>
<tbody>
${questions.map((question) => questionRow(question, names))}</tbody></table></div>`;
}

function questionsOf(runs: readonly DatabaseRun[]): readonly AskedQuestion[] {
  const answerOf = runs.map(
    ({ answers }) => new Map(answers.map((answer) => [keyText(answer), answer])),
  );
  const questions = new Map<string, AskedQuestion>();
  for (const { files } of runs) {
    for (const item of files.items) {
      for (let epoch = 1; epoch <= files.manifest.config.epochs; epoch += 1) {
        const key = { uuid: item.uuid, epoch };
        const answers = answerOf.map((answers) => answers.get(keyText(key)) ?? null);
        questions.set(keyText(key), { ...key, item, answers });
      }
    }
  }
  return [...questions.values()];
}

const categoryOf = ({ category }: DatasetItem): string => category ?? 'without category';

function questionRow(
  { uuid, epoch, item, answers }: AskedQuestion,
  names: readonly string[],
): Markup {
  const key = { uuid, epoch };
  const [first = '', second] = names;
  const address =
    second === undefined ? trajectoryAddress(first, key) : comparisonAddress(first, second, key);
  const verdicts = [...new Set(answers.map(verdictText))];
  const epochLabel = epoch > 1 ? markup` <span class="faint">epoch ${epoch}</span>` : null;
  return markup`<tr data-uuid="${uuid}" data-category="${categoryOf(item)}" data-verdict="${verdicts.join('\n')}" data-tag="${item.tags.join('\n')}"><th scope="row" class="question"><a href="#${address}">${item.question}</a>${epochLabel}</th><td>${categoryOf(item)}</td><td class="answer gold">${preview(item.referenceAnswer ?? '', goldShown)}</td>${answers.map(
    (answer, at) => markup`${answerCell(answer, names, at, key)}`,
  )}</tr>
`;
}

function answerCell(
  answer: AnswerRecord | null,
  names: readonly string[],
  at: number,
  key: SampleKey,
): Markup {
  const [first = ''] = names;
  const name = names[at] ?? '';
  const beside =
    at > 1
      ? markup`<a class="under" href="#${comparisonAddress(first, name, key)}">beside the first</a>`
      : null;
  const queries =
    answer && answer.method !== 'no-interaction'
      ? markup`<span class="under">${validQueries(answer)} valid</span>`
      : null;
  return markup`<td><a href="#${trajectoryAddress(name, key)}">${verdictText(answer)}</a>${queries}${beside}</td>`;
}

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
