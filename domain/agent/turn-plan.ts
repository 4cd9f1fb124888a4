import type { ActionFormatName, ProtocolName } from './actions/action-format.js';
import type { ActionName } from './actions/action.js';
import type { ModelConfig } from '../models/model-settings.js';
import type { Method } from './method.js';
import type { MethodName } from './methods.js';

/** What a run says about every turn of its method. */
export interface TurnSettings {
  readonly actionFormat: ActionFormatName;
  readonly maxTurns: number;
  readonly strict: boolean;
}

/** What a run says about how its questions are asked. */
export interface AgentConfig extends TurnSettings {
  readonly method: MethodName;
  readonly model: ModelConfig;
  readonly windowSize: number;
  readonly contextTokens: number | null;
}

export type TurnPlan = ModelPlan | FixedPlan;

/** What a model is to write in a turn. */
export type ModelPlan =
  | {
      readonly kind: 'action';
      readonly actions: readonly ActionName[];
      readonly format: ActionFormatName;
      readonly protocol: ProtocolName;
    }
  /** A statement in a code fence. */
  | { readonly kind: 'sql' }
  /** The final answer in a code fence. */
  | { readonly kind: 'answer' }
  /** Whether the graph's answer will do, or a better question, in a code fence. */
  | { readonly kind: 'judgement' };

/** Turns that ask no model, because what is to be done follows from what is known. */
export type FixedPlan =
  /** The task goes to the graph. */
  | { readonly kind: 'graph-query' }
  /** What the graph said is the answer. */
  | { readonly kind: 'graph-answer' };

/** How many turns a question takes at most: model calls, that is, and before those of a graph method its first query. */
export function turnLimit(method: Method, maxTurns: number): number {
  switch (method.kind) {
    case 'iterative':
      return maxTurns;
    case 'graph':
      return 1 + (method.judge === null ? 1 : maxTurns);
    case 'two-stage':
      return 2;
    case 'single-shot':
      return 1;
  }
}

/** `turn` counts from 1. The last turn of an iterative method must answer, but not where `strict`: the reference leaves it free. */
export function planTurn(method: Method, turn: number, settings: TurnSettings): TurnPlan {
  switch (method.kind) {
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
  // The reference forces JSON here whatever the run says; tool calls are no text to force it on.
  const format = actionFormat === 'tools' ? 'tools' : 'json';
  return { kind: 'action', actions: retrieval.actions, format, protocol: 'code_block' };
}

export const asksModel = (plan: TurnPlan): plan is ModelPlan =>
  plan.kind !== 'graph-query' && plan.kind !== 'graph-answer';

/** Whether something must be read from the store before the first turn: a context, or the titles of papers. */
export function needsContext(method: Method): boolean {
  switch (method.kind) {
    case 'iterative':
      return false;
    case 'graph':
      return method.papers === 'titles';
    case 'two-stage':
      return true;
    case 'single-shot':
      return method.context.kind !== 'none';
  }
}
