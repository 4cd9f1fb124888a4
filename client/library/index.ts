// The public surface of turnwise as a library: `import { … } from 'turnwise'`.

export { evaluate } from './evaluate.js';
export { openRun } from './open-run.js';
export { UserError as TurnwiseError } from '../../domain/user-error.js';
export { defineAction, defineMethod, defineScorer } from '../../plugins/define.js';
export type { Answer, EvaluateOptions, Progress, Question, Run, Summary, Turn } from './surface.js';
export type {
  ActionContext,
  ActionDefinition,
  AskedScore,
  CallContext,
  DefinedAction,
  DefinedMethod,
  DefinedScorer,
  JsonValue,
  MethodDefinition,
  ParameterDefinition,
  ScorerDefinition,
  ScorerResult,
} from '../../plugins/define.js';
