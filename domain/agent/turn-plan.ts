import type { ActionFormatName, ProtocolName } from './actions/action-format.js';
import type { ActionRef } from './actions/action-spec.js';
import type { ModelConfig } from '../models/model-settings.js';
import type { PromptTexts } from '../models/prompt-file.js';
import { stageOf, type DatabaseStage } from './database-qa/stages.js';
import type { Method } from './method.js';
import type { Plugin } from './plugin.js';
import type { FinishedTurn } from './turn-record.js';

/** The settings of a run that apply to every turn. */
export interface TurnSettings {
  readonly actionFormat: ActionFormatName;
  readonly maxTurns: number;
  readonly strict: boolean;
  /** Whether tasks name the papers of `reference_pdf`. @defaultValue false */
  readonly references?: boolean;
  /** Rounds in which the failed queries of method `sequential` are repaired. @defaultValue 0 */
  readonly sqlRepairs?: number;
  /** Texts in the place of ours (`agentTexts`). @defaultValue none */
  readonly prompts?: PromptTexts | undefined;
}

/** The settings of a run that determine how its questions are asked. */
export interface AgentConfig extends TurnSettings {
  readonly method: string;
  /** @defaultValue none */
  readonly plugins?: readonly Plugin[] | undefined;
  readonly model: ModelConfig;
  readonly windowSize: number;
  readonly contextTokens: number | null;
}

export type TurnPlan = ModelPlan | FixedPlan;

/** What the model must write in a turn. */
export type ModelPlan =
  | {
      readonly kind: 'action';
      readonly actions: readonly ActionRef[];
      readonly format: ActionFormatName;
      readonly protocol: ProtocolName;
    }
  /** A statement in a code fence. */
  | { readonly kind: 'sql' }
  /** The final answer in a code fence. */
  | { readonly kind: 'answer' }
  /** Acceptance of the graph's answer, or another question, in a code fence. */
  | { readonly kind: 'judgement' }
  /** A step of a database method, or its answer. */
  | { readonly kind: 'database'; readonly stage: DatabaseStage }
  /** Whatever an agent of the user's reads. */
  | { readonly kind: 'program' };

/** Turns that ask no model, because their action is known. */
export type FixedPlan =
  /** Sends the task to the graph. */
  | { readonly kind: 'graph-query' }
  /** Takes the graph's answer as the final answer. */
  | { readonly kind: 'graph-answer' };

/** The maximum number of turns of a question. Each turn is a model call, except the first query of a graph method, and what a program does between calls. */
export function turnLimit(method: Method, maxTurns: number): number {
  switch (method.kind) {
    case 'database':
      return method.mode === 'no-interaction' ? 1 : maxTurns;
    case 'iterative':
    case 'program':
      return maxTurns;
    case 'graph':
      return 1 + (method.judge === null ? 1 : maxTurns);
    case 'two-stage':
      return 2;
    case 'single-shot':
      return 1;
  }
}

/**
 * `turn` counts from 1. The last turn of an iterative method must answer, except in strict mode.
 * @param turns - the finished turns before it, which only database methods read. @defaultValue none
 */
export function planTurn(
  method: Method,
  turn: number,
  settings: TurnSettings,
  turns: readonly FinishedTurn[] = [],
): TurnPlan {
  switch (method.kind) {
    case 'database':
      return { kind: 'database', stage: stageOf(method.mode, turn, turns, settings) };
    case 'iterative':
      return {
        kind: 'action',
        actions: mustAnswer(turn, settings) ? ['GenerateAnswer'] : method.actions,
        format: settings.actionFormat,
        protocol: 'react',
      };
    case 'graph':
      if (turn === 1) return { kind: 'graph-query' };
      return { kind: method.judge === null ? 'graph-answer' : 'judgement' };
    case 'two-stage':
      return turn === 1 ? planRetrieval(method.retrieval, settings) : { kind: 'answer' };
    case 'program':
      return { kind: 'program' };
    case 'single-shot':
      return { kind: 'answer' };
  }
}

export const mustAnswer = (turn: number, { maxTurns, strict }: TurnSettings): boolean =>
  !strict && turn >= maxTurns;

function planRetrieval(
  retrieval: Extract<Method, { readonly kind: 'two-stage' }>['retrieval'],
  { actionFormat }: TurnSettings,
): TurnPlan {
  if (retrieval.kind === 'sql') return { kind: 'sql' };
  // As in the reference system, two-stage methods use JSON whatever text format the run has.
  const format = actionFormat === 'tools' ? 'tools' : 'json';
  return { kind: 'action', actions: retrieval.actions, format, protocol: 'code_block' };
}

export const asksModel = (plan: TurnPlan): plan is ModelPlan =>
  plan.kind !== 'graph-query' && plan.kind !== 'graph-answer';

/** Whether the prompts of the method hold all rows of a database. */
export const holdsRows = (method: Method): boolean =>
  method.kind === 'database' && method.mode === 'no-interaction';

/** Whether the method needs a `QuestionContext`: a context, the titles of papers, or the rows of a database. */
export function needsContext(method: Method): boolean {
  switch (method.kind) {
    case 'database':
      return holdsRows(method);
    case 'iterative':
    case 'program':
      return false;
    case 'graph':
      return method.papers === 'titles';
    case 'two-stage':
      return true;
    case 'single-shot':
      return method.context.kind !== 'none' && method.context.kind !== 'schema';
  }
}
