import type { Result } from '../../../domain/agent/question-result.js';
import { duration, grouped, instantText, joined } from '../../../domain/formats/text.js';
import { compareRuns } from '../../../domain/runs/compare-runs.js';
import { endedReason, runCondition } from '../../../domain/runs/run-progress.js';
import { resultsIn } from '../../../domain/scoring/answer.js';
import { answeredBy, judgedLine, workLine } from '../end-report.js';
import type { ReportedRun } from '../../runs/reported-run.js';
import { byText, runToolsText } from '../run-text.js';
import { comparisonSections } from './comparison.js';
import { headlineLines, ledgerSection } from './ledger.js';
import { listOf, section, type Section } from './section.js';

/** What it says of a run: its score, what it is and took, and its ledger. @param name - null of the only run */
function runSections(reported: ReportedRun, name: string | null): readonly Section[] {
  const { run, ledger, answers } = reported;
  const titled = (title: string): string => (name === null ? title : `${name}: ${title}`);
  return [
    section(`score-${run}`, titled('Score'), {
      words: headlineLines(ledger),
      notes: endedNote(reported),
      tables: [listOf('Run', ['run', run], runFacts({ ...reported, results: resultsIn(answers) }))],
    }),
    { ...ledgerSection(ledger), id: `ledger-${run}`, title: titled('Ledger') },
  ];
}

/** The first run against each of the others; nothing of one run. */
export function comparedSections(runs: readonly ReportedRun[]): readonly Section[] {
  const [baseline, ...others] = runs.map(({ manifest, ...reported }) => ({
    ...reported,
    manifest,
    ended: manifest.status !== 'running',
  }));
  return baseline === undefined || others.length === 0
    ? []
    : comparisonSections(compareRuns(baseline, others));
}

/** All that a report says in tables. */
export const reportSections = (runs: readonly ReportedRun[]): readonly Section[] => [
  ...comparedSections(runs),
  ...runs.flatMap((reported) => runSections(reported, runs.length > 1 ? reported.run : null)),
];

/** Of a run that is not done. */
export function endedNote({ manifest, answers }: ReportedRun): string | null {
  const count = `${grouped(resultsIn(answers).length)} of ${grouped(answers.length)} questions have ended`;
  switch (manifest.status) {
    case 'done':
      return null;
    case 'running':
      return `This run has not ended: ${count}. The figures are preliminary`;
    case 'cancelled':
      return `This run is ${runCondition(manifest.status, null)}${endedReason(manifest.status)}; ${count}`;
  }
}

export interface FactsOfRun extends Pick<
  ReportedRun,
  'manifest' | 'scorer' | 'totals' | 'rulings'
> {
  readonly tools?: ReportedRun['tools'];
  readonly results: readonly Result[];
}

type Fact = readonly [name: string, value: string];

/** The configuration of a run and what it took. Only the host of the model's address is shown, since a URL may contain secrets. */
export function runFacts(reported: FactsOfRun): readonly Fact[] {
  const { signOff } = reported.rulings;
  return [
    ...configurationFacts(reported),
    ...usageFacts(reported),
    signOff && (['signed off', byText(signOff)] as const),
  ].filter((fact) => fact !== null);
}

function configurationFacts({ manifest, results, scorer }: FactsOfRun): readonly (Fact | null)[] {
  const { config, dataset, store, versions } = manifest;
  const answered = joined('. ', answeredBy(results));
  return [
    ['method', config.method],
    ['model', `${config.model.name} at ${new URL(config.model.baseUrl).host}`],
    answered === '' ? null : ['answers', answered],
    store && ['store', store.name],
    ['dataset', dataset.path],
    [
      'questions',
      `${grouped(dataset.items)}${config.epochs > 1 ? `, ${grouped(config.epochs)} times each` : ''}`,
    ],
    ['turns at most', grouped(config.maxTurns)],
    ['formats', `${config.actionFormat} actions, ${config.observationFormat} observations`],
    ['scored by', scorer],
    [
      'version',
      `turnwise ${versions.turnwise}${versions.gitRevision === null ? '' : ` (${versions.gitRevision})`}, prompts ${versions.prompts}`,
    ],
  ];
}

function usageFacts({ manifest, totals, tools = null }: FactsOfRun): readonly (Fact | null)[] {
  const { startedAt, endedAt } = manifest;
  const judged = joined(' · ', judgedLine(totals));
  const after = (end: string): string => duration(Date.parse(end) - Date.parse(startedAt));
  return [
    ['started', instantText(startedAt)],
    endedAt === null ? null : ['ended', `${instantText(endedAt)}, after ${after(endedAt)}`],
    ['took', workLine(totals, manifest.config.model.price)],
    judged === '' ? null : ['judging', judged],
    tools && ['tools', runToolsText(tools).join('; ')],
  ];
}
