import type { Result } from '../../../domain/agent/question-result.js';
import { addedAnswerers, answererText } from '../../../domain/agent/who-answered.js';
import { duration, grouped } from '../../../domain/formats/text.js';
import { costText } from '../../../domain/models/usage.js';
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
  const models = [...new Set(results.flatMap(({ model }) => model ?? []))].sort();
  const remark = answererText(
    addedAnswerers(results.flatMap(({ answeredBy }) => answeredBy ?? [])),
  );
  return [
    ['method', config.method],
    ['model', `${config.model.name} at ${new URL(config.model.baseUrl).host}`],
    ...(models.length > 0 ? [['answered by', models.join(', ')] as const] : []),
    ...(remark === null ? [] : [['upstreams', remark] as const]),
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
  const { usage, turns } = totals;
  return [
    ['started', instantText(startedAt)],
    ...(endedAt === null
      ? []
      : [
          [
            'ended',
            `${instantText(endedAt)}, after ${duration(Date.parse(endedAt) - Date.parse(startedAt))}`,
          ] as const,
        ]),
    ['turns', grouped(turns)],
    [
      'model calls',
      `${grouped(usage.calls)}${usage.retries > 0 ? `, ${grouped(usage.retries)} repeated` : ''}${usage.cacheHits > 0 ? `, ${grouped(usage.cacheHits)} from the cache` : ''}`,
    ],
    [
      'prompt tokens',
      `${grouped(usage.promptTokens)}${usage.cachedTokens > 0 ? `, ${grouped(usage.cachedTokens)} cached` : ''}`,
    ],
    [
      'completion tokens',
      `${grouped(usage.completionTokens)}${usage.reasoningTokens > 0 ? `, ${grouped(usage.reasoningTokens)} reasoning` : ''}`,
    ],
    ...(usage.lostTokens > 0
      ? [['calls without a reply', `up to ${grouped(usage.lostTokens)} tokens`] as const]
      : []),
    ['cost', costText(totals.cost)],
    ...(tools ? [['tools', runToolsText(tools).join('; ')] as const] : []),
  ];
}
