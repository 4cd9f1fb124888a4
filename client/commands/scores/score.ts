import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { counted } from '../../../domain/formats/text.js';
import { runIdSchema, type RunId } from '../../../domain/ids.js';
import { dollars } from '../../../domain/models/usage.js';
import {
  decimal,
  flag,
  type FlagsOf,
  formatOptions,
  option,
  whole,
} from '../../../domain/option.js';
import {
  batchOption,
  judgeOptions,
  ownOptions,
  tokens,
  usd,
} from '../../../domain/runs/run-options.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import type { Answer } from '../../../domain/scoring/answer.js';
import { panelName } from '../../../domain/scoring/judging/judging-config.js';
import { scoreDifferences, type ScoreVersion } from '../../../domain/scoring/score-version.js';
import type { ExecutionRule } from '../../../domain/scoring/execution-match/execution-rules.js';
import { ruleSpread } from '../../../domain/scoring/execution-match/rule-scores.js';
import {
  requireFields,
  headlinesOf,
  scoreLedger,
  type ScoreLedger,
} from '../../../domain/scoring/score-ledger.js';
import { scoringModes, type ScoringMode } from '../../../domain/scoring/scorer-options.js';
import type { Environment } from '../../../domain/settings.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import { pluginsOfRun, withOwnCode } from '../../runs/own-code.js';
import { RunFolder } from '../../runs/run-folder.js';
import {
  type OwnScoring,
  scorePredictions,
  type JudgePort,
  type PredictionFiles,
} from '../../runs/scoring/score-answers.js';
import { answersByFields, answersIn, readRun } from '../../runs/scoring/run-scores.js';
import {
  readSuspects,
  separatePredictions,
  separateRun,
} from '../../runs/scoring/separate-answers.js';
import type { Panel } from '../../runs/scoring/judge-panel.js';
import {
  linesOf,
  rulesNamed,
  scoreRunByRules,
  scoreRun,
  scorerOf,
  scoresOfVersion,
  scoreVersions,
} from '../../runs/scoring/score-run.js';
import { loadEnvironment } from '../../services/environment.js';
import { readTexts } from '../../runs/prompt-file.js';
import { note, tell, warn } from '../../services/tell.js';
import {
  rulesSection,
  differenceSection,
  headlineLines,
  ledgerSection,
  type VersionDifference,
  separationSection,
} from '../../views/sections/ledger.js';
import { printSections } from '../../views/print-sections.js';
import { wordsSection, type Section } from '../../views/sections/section.js';
import { parseArgument, type CommandLine } from '../shared/command-line.js';
import { callsAtOnce, callSettings, capOf, judgingOf } from '../shared/model-options.js';
import { ownScorerIn, pluginsOf, programOption } from '../shared/run-options.js';
import { requirePrice } from '../../runs/steering/budget-price.js';

const scoreOptions = {
  ...ownOptions,
  predictions: option('<file>', 'answers, one JSON object a line: uuid, answer'),
  gold: option('<file>', 'what they are scored by: uuid, evaluator, tags'),
  out: option('<file>', 'write the scores of predictions, or by --rules, there, an object a line'),
  scorer: option(
    '<name>',
    'strict: as the reference scores, its defects included; default: without them; or a scorer of a --plugin (default: that of the current scores)',
  ),
  ...programOption,
  toolTimeout: option(
    '<seconds>',
    'for one answer by a scorer of your own',
    decimal(0.1, 120).default(defaultRunConfig.toolTimeoutMs / 1000),
  ),
  by: option(
    '<field>',
    'show scores by these fields of the questions; dots lead inwards. Without a scorer, a judge or a plugin nothing is scored again',
    z.array(z.string()).default([]),
  ),
  diff: option(
    '[version]',
    'show how the scores differ from those of an earlier version (default: the one before). As with --by, nothing is scored again',
    z.union([z.literal(true), whole(1, 9999)]).optional(),
  ),
  rules: option(
    '<rule>',
    'show what the score would be under these rules of eval_execution_match, or all; the run stays as it is',
    z.array(z.string()).optional(),
  ),
  separate: flag(
    'look on small copies of the databases for a difference between SQL and the gold that it matches: exit status 1 if there is one. Nothing is scored',
    z.boolean().default(false),
  ),
  without: option(
    '<file>',
    'show the score also without the questions that the JSON of --separate or `dataset check` finds fault with. As with --by, nothing is scored again',
  ),
  concurrency: option('<n>', 'calls of judges at a time (default: 20)', whole(1, 1000).optional()),
  budgetUsd: option('<n>', 'what judging may cost', usd.optional()),
  budgetTokens: option('<n>', 'tokens that judging may use', tokens.optional()),
  judgeTimeout: option(
    '<seconds>',
    'after which one call of a judge is given up and repeated',
    decimal(0.1, 3600).default(defaultRunConfig.model.timeoutMs / 1000),
  ),
  cache: flag(
    'take what equal requests were replied from TURNWISE_HOME/cache',
    z.boolean().default(false),
  ),
  ...batchOption,
  ...formatOptions,
};
type ScoreFlags = FlagsOf<typeof judgeOptions & typeof scoreOptions>;

export function registerScore(program: CommandLine): void {
  const command = program
    .command('score')
    .description('score a run again without asking its model, or predictions made elsewhere')
    .argument('[run]', 'the run', parseArgument(runIdSchema));
  command
    .optionsGroup('Judges:')
    .takes({ ...judgeOptions, ...scoreOptions })
    .action(score);
}

async function score(run: RunId | undefined, flags: ScoreFlags): Promise<void> {
  const { predictions, gold, rules, separate } = flags;
  const isPair = predictions !== undefined && gold !== undefined;
  if (separate && (run === undefined) === isPair) return showSeparated(run, flags);
  if (
    run !== undefined &&
    predictions === undefined &&
    gold === undefined &&
    (flags.out === undefined || rules !== undefined)
  )
    return rules === undefined
      ? scoreOrShow(run, flags)
      : showUnderRules(run, rulesNamed(rules), flags);
  if (
    run === undefined &&
    predictions !== undefined &&
    gold !== undefined &&
    flags.diff === undefined &&
    rules === undefined
  )
    return scoreElsewhere({ predictions, gold }, flags);
  throw new UserError(
    'give a run to score again, with --diff or --rules if you like, or both --predictions and --gold, with --out if you like',
  );
}

/** Scores a run again, unless the flags ask only to see its scores: looking writes nothing. */
async function scoreOrShow(run: RunId, flags: ScoreFlags): Promise<void> {
  const { by, diff, scorer, scorerProgram, plugin, without } = flags;
  const environment = loadEnvironment();
  const folder = RunFolder.of(environment, run);
  const judge = await judgeOf(environment, flags, run);
  const looks = by.length > 0 || diff !== undefined || without !== undefined;
  const rescored =
    looks && judge === null && (scorer ?? scorerProgram ?? plugin) === undefined
      ? null
      : await withOwnScoring(environment, flags, folder, (own) =>
          scoreRun(folder, { scorer: modeOf(flags), judge, own }),
        );
  const files = await readRun(folder);
  const versions = rescored?.versions ?? (await scoreVersions(folder, files.manifest));
  const ledger = scoreLedger(await answersByFields(folder, files, by), by);
  const rest = restOf(answersIn(files), without);
  const difference = diff === undefined ? null : await differenceFrom(folder, versions, diff);
  const isNew = rescored?.isNew ?? false;
  const made = isNew ? 'scored again, ' : rescored && 'the scores are the same, and stay, ';
  const what = `run ${run}: ${made ?? ''}version ${versions.length} (${await scorerOf(folder, files)})`;
  printSections(flags, {
    title: `Scores of run ${run}`,
    sections: [
      ...scoreSections(what, ledger, rest),
      ...(difference ? [differenceSection(difference)] : []),
    ],
    data: { run, versions, isNew, ledger, difference, without: rest },
  });
}

const modeOf = ({ scorer }: ScoreFlags): ScoringMode | undefined =>
  scoringModes.find((mode) => mode === scorer);

/** @param folder - of the run whose plugins count where none is given */
async function withOwnScoring<T>(
  environment: Environment,
  flags: ScoreFlags,
  folder: RunFolder | null,
  work: (own: OwnScoring) => Promise<T>,
): Promise<T> {
  const given = await pluginsOf(flags, environment);
  const plugins =
    given.length === 0 && folder !== null
      ? await pluginsOfRun(folder, await folder.manifest())
      : given;
  const scorer = ownScorerIn(flags, plugins, scoringModes);
  const timeoutMs = Math.round(flags.toolTimeout * 1000);
  return withOwnCode(environment, (ownCode) =>
    work({ scorer, plugins, ownCode, timeoutMs, onFailed: warn }),
  );
}

async function showUnderRules(
  run: RunId,
  rules: readonly ExecutionRule[],
  flags: ScoreFlags,
): Promise<void> {
  const scored = await scoreRunByRules(RunFolder.of(loadEnvironment(), run), rules);
  const scores = [...scored.values()].flat().map(({ score }) => score);
  if (flags.out !== undefined) writeFileSync(flags.out, linesOf(scores));
  const spread = ruleSpread(scored);
  printSections(flags, {
    title: `Run ${run} by rule`,
    sections: [rulesSection(spread)],
    data: { run, ...spread },
  });
}

/** Null where the flags name nobody. */
async function judgeOf(
  environment: Environment,
  flags: ScoreFlags,
  run: RunId | null,
): Promise<JudgePort | null> {
  const { cache, budgetUsd } = flags;
  const { judgeApi: api, judgeTimeout: timeout, batch } = flags;
  const settings = callSettings(environment, { api, timeout, cache, batch });
  const texts = readTexts(flags.prompts, await pluginsOf(flags, environment));
  const config = judgingOf(flags, () => settings, texts);
  if (config === null) {
    if (flags.batch) throw new UserError('--batch needs a judge: name one with --judge-model');
    return null;
  }
  for (const judge of config.models) requirePrice(judge, { budgetUsd });
  // Loaded only where there are judges: it loads the Temporal client.
  const [{ createPanel }, { withSession }] = await Promise.all([
    import('../../runs/scoring/judge-panel.js'),
    import('../shared/execute.js'),
  ]);
  const panel: Panel = {
    config,
    concurrency: callsAtOnce(flags),
    budget: capOf(flags),
    run,
    onJudged: ({ calls, spent, failures }) => {
      const failed = failures.length > 0 ? `, ${failures.length} that failed` : '';
      note(
        `judges were asked: ${calls} calls${failed}, ${spent.tokens} tokens, ${dollars(spent.usd)}`,
      );
    },
  };
  return createPanel(environment, panel, withSession);
}

async function differenceFrom(
  folder: RunFolder,
  versions: readonly ScoreVersion[],
  wanted: true | number,
): Promise<VersionDifference> {
  const to = versions.at(-1);
  const from = wanted === true ? versions.at(-2) : versions.find((each) => each.version === wanted);
  if (to === undefined || from === undefined) {
    throw new UserError(
      wanted === true
        ? `run ${folder.run} has one version of scores; another --scorer makes a second`
        : `run ${folder.run} has no version ${wanted} of its scores; there are ${versions.length}`,
    );
  }
  const scores = (version: number) => scoresOfVersion(folder, versions, version);
  const differences = scoreDifferences(await scores(from.version), await scores(to.version));
  return { from, to, differences };
}

async function scoreElsewhere(files: PredictionFiles, flags: ScoreFlags): Promise<void> {
  const { by, out } = flags;
  const scorer = modeOf(flags) ?? 'default';
  const environment = loadEnvironment();
  const judge = await judgeOf(environment, flags, null);
  const { scores, samples, warnings } = await withOwnScoring(environment, flags, null, (own) =>
    scorePredictions(files, scorer, judge, environment, own),
  );
  for (const warning of warnings) warn(warning);
  if (out !== undefined) writeFileSync(out, linesOf(scores));
  requireFields(samples, by);
  const ledger = scoreLedger(samples, by);
  const rest = restOf(samples, flags.without);
  const what = `${scores.length} predictions for ${ledger.samples} golds, ${scorer} scorer`;
  printSections(flags, {
    title: `Scores of ${files.predictions}`,
    sections: scoreSections(what, ledger, rest),
    data: { ...files, scorer, judge: judge && panelName(judge.config), ledger, without: rest },
  });
  if (out !== undefined) tell(`scores: ${out}`);
}

/** The scores without the questions that a file finds fault with. */
interface RestOfScores {
  readonly file: string;
  /** Left out. */
  readonly questions: number;
  readonly headlines: ScoreLedger['headlines'];
}

function restOf(samples: readonly Answer[], file: string | undefined): RestOfScores | null {
  if (file === undefined) return null;
  const suspects = readSuspects(file);
  const [left, kept] = [true, false].map((is) =>
    samples.filter(({ uuid }) => suspects.has(uuid) === is),
  );
  const questions = new Set(left?.map(({ uuid }) => uuid)).size;
  return { file, questions, headlines: headlinesOf(kept ?? []) };
}

async function showSeparated(run: RunId | undefined, flags: ScoreFlags): Promise<void> {
  const environment = loadEnvironment();
  const { predictions = '', gold = '' } = flags;
  const separated =
    run === undefined
      ? await separatePredictions(environment, { predictions, gold })
      : await separateRun(RunFolder.of(environment, run));
  const about = run === undefined ? { predictions, gold } : { run };
  printSections(flags, {
    title: `Matches by luck of ${run === undefined ? predictions : `run ${run}`}`,
    sections: [separationSection(separated)],
    data: { ...about, ...separated },
  });
  process.exitCode = separated.lucky > 0 ? exitStatus.luckFound : exitStatus.done;
}

const scoreSections = (
  what: string,
  ledger: ScoreLedger,
  rest: RestOfScores | null,
): readonly Section[] => [
  wordsSection('scores', 'Scores', [
    what,
    headlineLines(ledger),
    rest && headlineLines(rest).map((line) => `${withoutText(rest)}: ${line}`),
  ]),
  ledgerSection(ledger),
];

const withoutText = ({ questions, file }: RestOfScores): string =>
  `without the ${counted(questions, 'question')} of ${file}`;
