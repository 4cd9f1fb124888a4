import type { CommandLine } from '../shared/command-line.js';
import {
  enrichmentKinds,
  enrichmentPromptVersion,
  possibleKinds,
  type EnrichmentKind,
  type EnrichmentJob,
} from '../../../domain/enrichment/job.js';
import { option, type FlagsOf } from '../../../domain/option.js';
import { batchOption } from '../../../domain/runs/run-options.js';
import type { Environment } from '../../../domain/settings.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import { executeEnrichment, papersNamed, planEnrichment } from '../../runs/stores/enrich-store.js';
import { theStore } from '../../runs/stores/store-files.js';
import { loadEnvironment } from '../../services/environment.js';
import { note, warn } from '../../services/tell.js';
import { printSections } from '../../views/print-sections.js';
import { isToStart, withSession } from '../shared/execute.js';
import { requirePrice } from '../../runs/steering/budget-price.js';
import {
  cacheOption,
  batchRemark,
  callOptions,
  callsAtOnce,
  capOf,
  judgeConfigOf,
  callSettings,
} from '../shared/model-options.js';
import type { EnrichmentForecast } from '../../../domain/enrichment/asked-paper.js';
import type { EnrichmentResult } from '../../../domain/enrichment/totals.js';
import { countText, grouped, joined } from '../../../domain/formats/text.js';
import { costText, dollars } from '../../../domain/models/usage.js';
import { countsOf, sum } from '../../../domain/statistics/means.js';
import { priceRemedy } from '../../services/user-error.js';
import { figuresOf, section, unlessEmpty, type Section } from '../../views/sections/section.js';
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';

const enrichOptions = {
  model: option('<name>', 'summarises pages, sections and tables, and gives tldr and tags'),
  visionModel: option('<name>', 'describes figures and tables, and reads scanned pages'),
  only: option(
    '<kinds>',
    `some of ${enrichmentKinds.join(',')} (default: all that the models can do)`,
    z.string().transform(kinds).optional(),
  ),
  papers: option(
    '<paper>',
    'ids, file names or titles (default: all)',
    z.array(z.string()).optional(),
  ),
  ...callOptions(
    'what all replies about these papers may cost, earlier ones included',
    'tokens that they may use, earlier ones included',
  ),
  ...batchOption,
  ...cacheOption,
};
type EnrichFlags = FlagsOf<typeof enrichOptions>;

export function registerEnrich(store: CommandLine): void {
  store
    .command('enrich')
    .description('have models summarise the papers of a store, describe pictures and read scans')
    .argument('[store]', 'its name (default: the only store)')
    .takes(enrichOptions)
    .action(enrich);
}

function kinds(text: string): readonly EnrichmentKind[] {
  const named = text.split(',').map((name) => name.trim());
  const known = enrichmentKinds.filter((kind) => named.includes(kind));
  if (known.length === new Set(named).size) return known;
  throw new InvalidArgumentError(
    `It must be some of ${enrichmentKinds.join(', ')}, with commas between them.`,
  );
}

async function enrich(name: string | undefined, flags: EnrichFlags): Promise<void> {
  const { budgetUsd } = flags;
  const concurrency = callsAtOnce(flags);
  const environment = loadEnvironment();
  const manifest = await theStore(environment, name);
  const store = manifest.name;
  const papers = papersNamed(manifest, flags.papers ?? []);
  if (papers.length === 0) throw new UserError(`store ${store} has no papers`);
  const job: EnrichmentJob = { ...modelsOf(flags, environment), papers };
  for (const model of [job.model, job.vision]) {
    if (model !== null) requirePrice(model, { budgetUsd });
  }
  const forecast = await planEnrichment(environment, store, job);
  note(forecastText(store, job, forecast));
  if (forecast.calls > 0 && !(await isToStart(flags.yes))) return;
  const budget = capOf(flags);
  const result = await withSession(environment, (session) =>
    executeEnrichment(session, environment, store, job, { concurrency, budget }),
  );
  printSections(flags, {
    title: `Enrichment of store ${store}`,
    sections: [enrichmentSection(result)],
    data: { store, ...result },
  });
  const stopped = stoppedText(result, flags);
  if (stopped === null) return;
  warn(stopped);
  process.exitCode =
    result.progress.parked === null ? exitStatus.doneWithOutsideFailures : exitStatus.runWaits;
}

/** Of one completion, hidden reasoning included, and the sampling of the reference system. */
const usually = { temperature: 0.1, topP: 0.95, maxTokens: 1500 };

function modelsOf(flags: EnrichFlags, environment: Environment): Omit<EnrichmentJob, 'papers'> {
  const { model, visionModel, only } = flags;
  const asked = callSettings(environment, flags);
  const config = (name: string | undefined): EnrichmentJob['model'] =>
    name === undefined ? null : judgeConfigOf(name, asked, usually);
  const models = { model: config(model), vision: config(visionModel) };
  const possible = possibleKinds(models);
  const impossible = (only ?? []).find((kind) => !possible.includes(kind));
  if (possible.length === 0 || impossible !== undefined) {
    const needed =
      impossible === undefined
        ? '--model, --vision-model or both'
        : ['scans', 'images'].includes(impossible)
          ? '--vision-model'
          : '--model';
    throw new UserError(`${impossible ?? 'an enrichment'} needs ${needed}: name a model to ask`);
  }
  return { prompts: enrichmentPromptVersion, ...models, kinds: only ?? possible };
}

/** For one and for several. */
const names: Readonly<Record<EnrichmentKind, readonly [one: string, several: string]>> = {
  scans: ['scanned page', 'scanned pages'],
  pages: ['page', 'pages'],
  sections: ['section', 'sections'],
  tables: ['table', 'tables'],
  images: ['figure', 'figures'],
  metadata: ['paper as a whole', 'papers as a whole'],
};

const counted = (count: number, [one, several]: readonly [string, string]): string =>
  `${grouped(count)} ${count === 1 ? one : several}`;

/** What an enrichment will take, before it starts. */
export function forecastText(
  store: string,
  { model, vision }: EnrichmentJob,
  { papers, kinds, calls, promptTokens, mostUsd, mostTokens, isEstimate }: EnrichmentForecast,
): string {
  const of = `store ${store}, ${counted(papers, ['paper', 'papers'])}`;
  if (calls === 0) return `${of}: nothing is left to be asked`;
  const parts = enrichmentKinds.flatMap((kind) =>
    kinds[kind] === undefined ? [] : [counted(kinds[kind], names[kind])],
  );
  const asked = [...new Set([model?.name, vision?.name].filter((name) => name !== undefined))];
  const cost = mostUsd === null ? `cost unknown ${priceRemedy}` : `${dollars(mostUsd)} at most`;
  return [
    `${of}: ${parts.join(', ')}`,
    `${isEstimate ? 'about ' : ''}${grouped(calls)} calls to ${asked.join(' and ')}, about ${countText(promptTokens)} prompt tokens and at most ${countText(mostTokens)} tokens in all, ${cost}${batchRemark([model, vision])}`,
  ].join('\n');
}

/** What an enrichment has come to, and what could not be used. */
export function enrichmentSection({ totals, progress }: EnrichmentResult): Section {
  const rows = enrichmentKinds.flatMap((kind) => {
    const ofKind = totals.kinds[kind];
    if (ofKind === undefined) return [];
    const { items, answered, nothing, unusable } = ofKind;
    return [[names[kind][1], items, answered, nothing, unusable, openOf(ofKind)]];
  });
  const heads = ['kind', 'items', 'answered', 'nothing to say', 'unusable', 'no reply'];
  return section('enrichment', 'Enrichment', {
    words: [
      rows.length === 0 && 'there is nothing to ask about these papers',
      `${counted(progress.calls, ['call', 'calls'])}; on these papers ${grouped(totals.spent.tokens)} tokens were spent so far, ${costText({ usd: totals.spent.usd, unpricedCalls: totals.unpriced })}`,
    ],
    notes: [
      Object.entries(totals.unusable).map(([reason, count]) => `${count} unusable: ${reason}`),
      totals.lost > 0 &&
        `${totals.lost === 1 ? '1 paper was left out, since its' : `${grouped(totals.lost)} papers were left out, since their`} text is lost: \`turnwise store check\``,
    ],
    tables: [unlessEmpty(figuresOf('What was asked', heads, rows))],
  });
}

const openOf = ({
  items,
  answered,
  nothing,
  unusable,
}: NonNullable<EnrichmentResult['totals']['kinds'][EnrichmentKind]>): number =>
  items - answered - nothing - unusable;

/** Why items have no reply; null if all have one. */
export function stoppedText(
  { progress, totals }: EnrichmentResult,
  flags: { readonly budgetUsd?: number },
): string | null {
  const { parked, failures, spent } = progress;
  if (parked !== null) {
    const open = sum(Object.values(totals.kinds).map(openOf));
    const budget = flags.budgetUsd === undefined ? '--budget-tokens' : '--budget-usd';
    return `held at the budget: ${dollars(spent.usd)} and ${grouped(spent.tokens)} tokens are spent, the next call may take ${dollars(parked.usd)} and ${grouped(parked.tokens)} tokens, and ${grouped(open)} items have no reply; the same command with a higher ${budget} goes on`;
  }
  if (failures.length === 0) return null;
  return joined(
    '\n',
    [...countsOf(failures.map(({ message }) => message))].map(
      ([reason, count]) => `${counted(count, ['call', 'calls'])} failed: ${reason}`,
    ),
    'what they were about has no reply; the same command asks again',
  );
}
