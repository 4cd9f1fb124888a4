import type { ActionRef, Subject } from './actions/action-spec.js';
import type { DatabaseMode } from './database-qa/answer-trace.js';

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

export type Retrieval =
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
export interface ProgramMethod extends MethodBase {
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
