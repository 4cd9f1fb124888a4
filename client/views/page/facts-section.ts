import type { Result } from '../../../domain/agent/question-result.js';
import { duration, grouped, joined, said } from '../../../domain/formats/text.js';
import { answeredBy, judgedLine, workLine } from '../end-report.js';
import { runToolsText } from '../run-text.js';
import { instantText, markup, type Markup } from './markup.js';
import type { ReportedRun } from './reported-run.js';

interface FactsOfRun extends Pick<ReportedRun, 'manifest' | 'scorer' | 'totals'> {
  readonly tools?: ReportedRun['tools'];
  readonly results: readonly Result[];
}

/** The configuration of a run and what it took. Only the host of the model's address is shown, since a URL may contain secrets. */
export const factsSection = (reported: FactsOfRun): Markup =>
  markup`<dl class="facts">
${[...configurationFacts(reported), ...usageFacts(reported)].map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`;

type Fact = readonly [name: string, value: string];

function configurationFacts({ manifest, results, scorer }: FactsOfRun): readonly Fact[] {
  const { config, dataset, store, versions } = manifest;
  const answered = said(answeredBy(results)).join('. ');
  return [
    ['method', config.method],
    ['model', `${config.model.name} at ${new URL(config.model.baseUrl).host}`],
    ...(answered === '' ? [] : [['answers', answered] as const]),
    ...(store === null ? [] : [['store', store.name] as const]),
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

function usageFacts({ manifest, totals, tools }: FactsOfRun): readonly Fact[] {
  const { startedAt, endedAt } = manifest;
  const judged = joined(' · ', judgedLine(totals));
  const after = (end: string): string => duration(Date.parse(end) - Date.parse(startedAt));
  return [
    ['started', instantText(startedAt)],
    ...(endedAt === null
      ? []
      : [['ended', `${instantText(endedAt)}, after ${after(endedAt)}`] as const]),
    ['took', workLine(totals)],
    ...(judged === '' ? [] : [['judging', judged] as const]),
    ...(tools ? [['tools', runToolsText(tools).join('; ')] as const] : []),
  ];
}
