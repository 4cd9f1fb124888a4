import type { ModelConfig } from '../models/model-settings.js';
import type { PromptTexts } from '../models/prompt-file.js';
import type { ActionRef, Subject, ActionFormatName, ProtocolName } from './actions/action.js';
import type { DatabaseMode } from './database-qa/answer-trace.js';
import { stageOf, type DatabaseStage } from './database-qa/prompts.js';
import type { Plugin } from './plugin.js';
import type { FinishedTurn } from './turn-record.js';

/** A schema shown in the task. `described-vectorstore` also explains the table and column of each embedded cell. */
export type SchemaBlock = 'database' | 'vectorstore' | 'described-vectorstore';

/** A way to answer a question, described as data. One loop runs all methods. */
export type Method =
  | DatabaseMethod
  | GraphMethod
  | IterativeMethod
  | ProgramMethod
  | SingleShotMethod
  | TwoStageMethod;

interface MethodBase {
  /** One line, for `--help` and reports. */
  readonly summary: string;
}

interface PromptedMethod extends MethodBase {
  /** The first sentences of the prompt: the model's task and its sources. */
  readonly role: string;
}

/** Takes one action per turn until it answers. Replies use the `react` protocol and the run's action format. */
export interface IterativeMethod extends PromptedMethod {
  readonly kind: 'iterative';
  readonly actions: readonly ActionRef[];
  /** The schemas appended to the task, in this order. */
  readonly schemas: readonly SchemaBlock[];
  readonly hints: readonly string[];
  /** What ClassicRetrieve searches: the papers a question names (all papers when it names none), or always all. */
  readonly scope: 'anchors' | 'store';
  /** `tables`: of any database, so that neither prompt nor actions speak of papers. @defaultValue `papers` */
  readonly about?: Subject;
}

/** Answers in one call, from a context that is built without a model. */
export interface SingleShotMethod extends PromptedMethod {
  readonly kind: 'single-shot';
  readonly context: ContextSource;
}

export type ContextSource =
  /** No context, and the task names no paper: the model answers from its own knowledge. */
  | { readonly kind: 'none' }
  /** The schema of the question's database. */
  | { readonly kind: 'schema' }
  | { readonly kind: 'titles-and-abstracts' | 'full-text'; readonly cutoffTokens: number }
  /** The hits of ClassicRetrieve for the question, in the papers it is about. */
  | { readonly kind: 'search'; readonly limit: number };

/** One call retrieves; a second call, a new conversation, answers from the retrieved context. */
export interface TwoStageMethod extends PromptedMethod {
  readonly kind: 'two-stage';
  readonly retrieval: Retrieval;
  readonly schemas: readonly SchemaBlock[];
  /** The role of the second call. */
  readonly answerRole: string;
}

type Retrieval =
  /** The reply is a SQL statement in a code fence. */
  | { readonly kind: 'sql' }
  /** The reply is an action as JSON in a code fence. */
  | { readonly kind: 'action'; readonly actions: readonly ActionRef[] };

/** Answers with a long text over the database of a question (`database-qa/`). */
export interface DatabaseMethod extends MethodBase {
  readonly kind: 'database';
  readonly mode: DatabaseMode;
}

/** An external program answers from its graph index. */
export interface GraphMethod extends MethodBase {
  readonly kind: 'graph';
  /** How queries name the papers that a question is about. */
  readonly papers: 'ids' | 'titles';
  /** The model that accepts an answer or asks another question. Null: the first answer counts. */
  readonly judge: { readonly role: string } | null;
}

/** A program of the user's is the agent (`own-agent/`). */
interface ProgramMethod extends MethodBase {
  readonly kind: 'program';
}

/** The fields of a question that methods read. */
export interface AskedItem {
  readonly question: string;
  readonly answer_format: string;
  readonly anchor_pdf: readonly string[];
  readonly reference_pdf: readonly string[];
  readonly conference: readonly string[];
}

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
