import { InvalidArgumentError, type Command } from 'commander';
import { z } from 'zod';
import {
  enrichmentKinds,
  enrichmentPromptVersion,
  possibleKinds,
  type EnrichmentKind,
  type EnrichmentJob,
} from '../../../domain/enrichment/job.js';
import { option, type FlagsOf } from '../../../domain/option.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import { executeEnrichment, papersNamed, planEnrichment } from '../../runs/stores/enrich-store.js';
import { theStore } from '../../runs/stores/store-files.js';
import { loadEnvironment } from '../../services/environment.js';
import { note, warn } from '../../services/tell.js';
import { printSections } from '../../views/print-sections.js';
import { enrichmentSection, forecastText, stoppedText } from '../../views/sections/enrichment.js';
import { addOptions } from '../shared/arguments.js';
import { isToStart, withSession } from '../shared/execute.js';
import { requirePrice } from '../../runs/steering/budget-price.js';
import { cacheOption, callOptions, capOf } from '../shared/limit-options.js';
import { judgeConfigOf, modelEndpoints, type ModelEndpoints } from '../shared/model-options.js';

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
  ...cacheOption,
};
type EnrichFlags = FlagsOf<typeof enrichOptions>;

export function registerEnrich(store: Command): void {
  const command = store
    .command('enrich')
    .description('have models summarise the papers of a store, describe pictures and read scans')
    .argument('[store]', 'its name (default: the only store)');
  addOptions(command, enrichOptions).action(enrich);
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
  const { budgetUsd, concurrency } = flags;
  const environment = loadEnvironment();
  const manifest = await theStore(environment, name);
  const store = manifest.name;
  const papers = papersNamed(manifest, flags.papers ?? []);
  if (papers.length === 0) throw new UserError(`store ${store} has no papers`);
  const job: EnrichmentJob = { ...modelsOf(flags, modelEndpoints(environment, flags.api)), papers };
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

function modelsOf(
  { model, visionModel, only, timeout, cache }: EnrichFlags,
  endpoints: ModelEndpoints,
): Omit<EnrichmentJob, 'papers'> {
  const asked = { endpoints, timeoutMs: Math.round(timeout * 1000), cache };
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
