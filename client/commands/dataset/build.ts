import { InvalidArgumentError, type Command } from 'commander';
import { z } from 'zod';
import type { Build } from '../../../domain/building/build.js';
import { mostSeeds } from '../../../domain/building/build.js';
import { forecastBuild } from '../../../domain/building/build-forecast.js';
import { instructions, ownPrompts, promptsWith } from '../../../domain/building/prompts.js';
import { datasetNameSchema } from '../../../domain/ids.js';
import { option, whole, type FlagsOf } from '../../../domain/option.js';
import { exitStatus } from '../../../domain/user-error.js';
import { sameBuild, startBuild, untilDrafted } from '../../runs/building/build-dataset.js';
import { readPromptFile } from '../../runs/prompt-file.js';
import { planSeeds } from '../../runs/building/read-seeds.js';
import { loadEnvironment } from '../../services/environment.js';
import { note } from '../../services/tell.js';
import { buildForecastText, progressText } from '../../views/building-text.js';
import { printSections } from '../../views/print-sections.js';
import { wordsSection } from '../../views/sections/section.js';
import { addOptions } from '../shared/arguments.js';
import { isToStart, withSession } from '../shared/execute.js';
import { requirePrice } from '../../runs/steering/budget-price.js';
import { cacheOption, callOptions, capOf } from '../shared/limit-options.js';
import { judgeConfigOf, modelEndpoints } from '../shared/model-options.js';

const buildOptions = {
  dataset: option('<name>', 'what it shall be called', datasetNameSchema),
  model: option('<name>', 'drafts and writes', z.string()),
  items: option('<n>', 'the first so many seeds (default: all)', whole(1, mostSeeds).optional()),
  annotators: option('<n>', 'people who decide apart at each gate, 1 or 2', whole(1, 2).default(1)),
  gateTimeout: option(
    '<time>',
    'after which an item is parked if nobody decides, such as 12h or 30d (default: never)',
    z.string().transform(milliseconds).optional(),
  ),
  source: option('<text>', 'where the seeds come from, where they do not say so'),
  licence: option('<text>', 'their licence, where they do not say so'),
  prompts: option(
    '<file>',
    'what models are told from now on, YAML or JSON with a text for each step to change (`dataset prompts` prints those in use)',
  ),
  ...callOptions(
    'what all calls for the dataset may cost, earlier ones included',
    'tokens that they may use, earlier ones included',
  ),
  ...cacheOption,
};

export function registerBuild(dataset: Command): void {
  const command = dataset
    .command('build')
    .description('have a model draft questions, rows and answers, each confirmed by people')
    .argument(
      '<seeds>',
      "JSONL of seed questions with their databases, such as a dataset, or Spider's folder; only the schemas are used",
    );
  addOptions(command, buildOptions).action(build);
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function milliseconds(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (units[unit] ?? 0);
  if (ms > 0) return ms;
  throw new InvalidArgumentError('It must be a time such as 90m, 12h or 30d.');
}

/** Of one completion, hidden reasoning included. */
const usually = { temperature: 0.7, topP: 0.95, maxTokens: 4000 };

async function build(seeds: string, flags: FlagsOf<typeof buildOptions>): Promise<void> {
  const { dataset, annotators, budgetUsd, concurrency, timeout, cache } = flags;
  const environment = loadEnvironment();
  const asked = {
    ...{ endpoints: modelEndpoints(environment, flags.api), cache },
    timeoutMs: Math.round(timeout * 1000),
  };
  const model = judgeConfigOf(flags.model, asked, usually);
  requirePrice(model, { budgetUsd });
  const changed =
    flags.prompts === undefined ? null : promptsWith(readPromptFile(flags.prompts, instructions));
  const planned: Build = {
    ...(await planSeeds(environment, seeds, flags)),
    ...{ dataset, model, annotators: annotators === 2 ? 2 : 1 },
    gateTimeoutMs: flags.gateTimeout ?? null,
    prompts: changed ?? ownPrompts,
    paused: false,
    budget: capOf(flags),
  };
  const known = await sameBuild(environment, planned);
  const kept: Build =
    known === null
      ? planned
      : { ...planned, paused: known.paused, prompts: changed ?? known.prompts };
  note(buildForecastText(kept, forecastBuild(kept), known !== null));
  if (!(await isToStart(flags.yes))) return;
  let printed = '';
  const progress = await withSession(environment, async (session) => {
    await startBuild(session, environment, kept, concurrency);
    return untilDrafted(session, planned, (now) => {
      const text = progressText(now);
      if (text !== printed) note(text);
      printed = text;
    });
  });
  const words = [
    progressText(progress),
    `turnwise dataset gates ${dataset} lists the items that wait for a decision`,
  ];
  printSections(flags, {
    title: `Dataset ${dataset}`,
    sections: [wordsSection('progress', 'Progress', words)],
    data: { dataset, ...progress },
  });
  const { held, isPaused } = progress;
  if (isPaused || held.some(({ need }) => need !== null)) process.exitCode = exitStatus.runWaits;
  else if (held.length > 0) process.exitCode = exitStatus.doneWithOutsideFailures;
}
