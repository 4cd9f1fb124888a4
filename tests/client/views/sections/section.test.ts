import { expect, it } from 'vitest';
import { sectionMarkup } from '../../../../client/views/page/section-markup.js';
import {
  comparisonSections,
  changedQuestions,
} from '../../../../client/views/sections/comparison.js';
import {
  evaluationSections,
  evaluationWords,
} from '../../../../client/views/sections/evaluation.js';
import { ledgerSection } from '../../../../client/views/sections/ledger.js';
import {
  cellText,
  sectionsMarkdown,
  type Section,
} from '../../../../client/views/sections/section.js';
import { sectionTexts } from '../../../../client/views/terminal.js';
import { reportTables } from '../../../../client/views/database-qa/report-tables.js';
import { reportOnRuns } from '../../../../client/runs/database-qa/database-report.js';
import { RunFolder } from '../../../../client/runs/run-folder.js';
import { noCap } from '../../../../domain/budget/amount.js';
import { compareCells } from '../../../../domain/evaluations/compare-cells.js';
import { joined } from '../../../../domain/formats/text.js';
import { evaluationNameSchema, runIdSchema } from '../../../../domain/ids.js';
import { compareRuns } from '../../../../domain/runs/compare-runs.js';
import { scoreLedger } from '../../../../domain/scoring/score-ledger.js';
import { comparedRun } from '../../../support/runs/compared-run.js';
import { threeModes } from '../../../support/runs/database-runs.js';
import { runAnswer } from '../../../support/runs/run-answer.js';

/** Twelve questions in two epochs, of which some are wrong and one was never scored. */
const answers = (wrong: number) =>
  Array.from({ length: 24 }, (_, at) =>
    runAnswer({
      uuid: `q<${at % 12}>|`,
      epoch: at < 12 ? 1 : 2,
      verdict: at === 23 ? 'judge-unreadable' : at % 12 < wrong ? 0 : 1,
      item: { tags: [at % 2 === 0 ? '*even*' : 'odd_one'] },
    }),
  );

const runs = [1, 5, 11].map((wrong, at) => comparedRun(`run-${at}`, answers(wrong)));
const [baseline, ...others] = runs as [(typeof runs)[0], ...typeof runs];

const subjects: Readonly<Record<string, () => Promise<readonly Section[]>>> = {
  'the scores of a run': async () => Promise.resolve([ledgerSection(scoreLedger(answers(5)))]),
  'a comparison': async () => {
    const comparison = compareRuns(baseline, others, ['tags']);
    return Promise.resolve([...comparisonSections(comparison), changedQuestions(comparison)]);
  },
  'an evaluation': async () => {
    const cells = runs.map((compared, at) => ({
      cell: {
        run: runIdSchema.parse(compared.run),
        ...{ dataset: { label: 'd' }, method: `m${at}`, model: { label: 'M' } },
      },
      compared,
    }));
    const comparison = compareCells(cells);
    const evaluation = { name: evaluationNameSchema.parse('e'), budget: noCap };
    const words = evaluationWords(evaluation, comparison, { usd: 1, tokens: 2 });
    return Promise.resolve(evaluationSections(comparison, words));
  },
  'answers over databases': async () => {
    const { home } = threeModes();
    const folders = ['none', 'seq', 'iter'].map(
      (run) => new RunFolder(home, runIdSchema.parse(run)),
    );
    return reportTables((await reportOnRuns(folders, {})).tables);
  },
};

const fromMarkup = (text: string): string =>
  text
    .replaceAll(/<span class="under">(.*?)<\/span>/g, (_, under: string) => ` (${under})`)
    .replaceAll(' ()', '')
    .replaceAll(/<[^>]*>/g, '\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

it.each(Object.entries(subjects))('shows the same of %s in every medium', async (_, of) => {
  const sections = await of();
  const facts = sections.flatMap(({ words, notes, tables }) => [
    ...[...words, ...notes],
    ...tables.flatMap(({ heads, rows, legend = [] }) => [
      ...[...heads, ...legend],
      ...rows.flat().map(cellText),
    ]),
  ]);
  expect(facts.length).toBeGreaterThan(20);
  const media = {
    terminal: joined('\n', sectionTexts(sections)),
    markdown: sectionsMarkdown(sections).replaceAll(/\\([|\\`*_<>[\]])/g, '$1'),
    page: fromMarkup(sections.map((section) => sectionMarkup(section).text).join('')),
  };
  for (const [medium, text] of Object.entries(media)) {
    const lacking = facts.filter((fact) => !text.includes(fact));
    expect({ medium, lacking }).toEqual({ medium, lacking: [] });
  }
});
