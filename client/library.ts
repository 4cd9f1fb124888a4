// The public surface of turnwise as a library: `import { … } from 'turnwise'`.

export { defineAction, defineMethod, defineScorer } from '../plugins/define.js';
export type {
  ActionContext,
  ActionDefinition,
  CallContext,
  DefinedAction,
  DefinedMethod,
  DefinedScorer,
  JsonValue,
  MethodDefinition,
  ParameterDefinition,
  ScorerDefinition,
  ScorerResult,
} from '../plugins/define.js';
export type { AskedScore } from '../domain/scoring/own-scorer.js';
