import { InvalidArgumentError, Option, type Command } from 'commander';
import { modelApis, type ModelApi } from '../../../domain/model-api.js';
import {
  combinations,
  defaultJudging,
  maxJudges,
  type Combination,
  type JudgingConfig,
} from '../../../domain/scoring/judging/judging-config.js';
import { UserError } from '../../../domain/user-error.js';
import { wholeNumber } from './arguments.js';
import { judgeConfigOf, type JudgeSettings } from './model-options.js';

/** Flags about judges, as commander hands them over. */
export interface JudgeFlags {
  /** Absent where nobody judges. */
  readonly judgeModel?: readonly string[];
  readonly judgeApi?: ModelApi;
  readonly judges: Combination;
  readonly judgeTries: number;
  readonly judgeEmpty?: true;
}

export const addJudgeOptions = (command: Command): Command =>
  command
    .optionsGroup('Judges:')
    .option(
      '--judge-model <name>',
      'who decides what no comparison can; may be repeated, and each of them judges alone',
      oneMore,
    )
    .addOption(
      new Option(
        '--judge-api <api>',
        'in which judges are asked (default: as --api, turnwise.yaml or TURNWISE_API has it)',
      ).choices(modelApis),
    )
    .addOption(
      new Option('--judges <how>', 'how the verdicts of several judges become one')
        .choices(combinations)
        .default(defaultJudging.combination),
    )
    .option(
      '--judge-tries <n>',
      'calls about one answer before a judge that replies nothing readable is given up',
      wholeNumber(1, 10),
      defaultJudging.tries,
    )
    .option(
      '--judge-empty',
      'an empty answer does not match a long reference answer, and is graded 1; otherwise it is unscored',
    );

/**
 * Who judges, asked where the model is. Null where the flags name nobody.
 * Throws UserError where a majority could not be one, or nobody would judge what is to be judged.
 */
export function judgingOf(
  { judgeModel, judges: combination, judgeTries, judgeEmpty }: JudgeFlags,
  settings: () => JudgeSettings,
): JudgingConfig | null {
  if (judgeModel === undefined) {
    if (judgeEmpty === true)
      throw new UserError('--judge-empty needs a judge: name one with --judge-model');
    return null;
  }
  if (combination === 'majority' && judgeModel.length % 2 === 0) {
    throw new UserError(
      `${judgeModel.length} judges can be of two minds: name one more or one less, or take their mean with --judges mean`,
    );
  }
  return {
    models: judgeModel.map((name) => judgeConfigOf(name, settings())),
    combination,
    tries: judgeTries,
    ...(judgeEmpty && { judgeEmpty }),
  };
}

function oneMore(name: string, earlier: readonly string[] = []): readonly string[] {
  if (name.trim() === '') throw new InvalidArgumentError('It must be the name of a model.');
  if (earlier.includes(name))
    throw new InvalidArgumentError('Each judge is named once: a model agrees with itself.');
  if (earlier.length === maxJudges)
    throw new InvalidArgumentError(`There are ${maxJudges} judges at most.`);
  return [...earlier, name];
}
