import type { ActionName } from './actions/action.js';

/** What a task tells of the store. `described-vectorstore` says of each embedded cell what its table and column mean. */
export type SchemaBlock = 'database' | 'vectorstore' | 'described-vectorstore';

/** A way of answering: data over one loop, not a program of its own. */
export type Method = GraphMethod | IterativeMethod | SingleShotMethod | TwoStageMethod;

interface MethodBase {
  /** One line, for `--help` and reports. */
  readonly summary: string;
}

interface PromptedMethod extends MethodBase {
  /** The first sentences of its prompt: who the model is and what it has to work with. */
  readonly role: string;
}

/** Turn after turn, an action each, until it answers. Its replies follow the react protocol in the run's action format. */
export interface IterativeMethod extends PromptedMethod {
  readonly kind: 'iterative';
  readonly actions: readonly ActionName[];
  /** Appended to the task, in this order. */
  readonly schemas: readonly SchemaBlock[];
  readonly hints: readonly string[];
  /** What ClassicRetrieve searches: the papers a question is about, where it names any, or all. */
  readonly scope: 'anchors' | 'store';
}

/** One call that answers from a context put together without the model. */
export interface SingleShotMethod extends PromptedMethod {
  readonly kind: 'single-shot';
  readonly context: ContextSource;
}

export type ContextSource =
  /** The model's own knowledge: the task names no paper either. */
  | { readonly kind: 'none' }
  | { readonly kind: 'titles-and-abstracts' | 'full-text'; readonly cutoffTokens: number }
  /** What ClassicRetrieve finds for the text of the question in the papers it is about. */
  | { readonly kind: 'search'; readonly limit: number };

/** One call that retrieves, and another that answers from what was retrieved and knows nothing of the first. */
export interface TwoStageMethod extends PromptedMethod {
  readonly kind: 'two-stage';
  readonly retrieval: Retrieval;
  readonly schemas: readonly SchemaBlock[];
  /** The role of the second call. */
  readonly answerRole: string;
}

export type Retrieval =
  /** A statement in a code fence. */
  | { readonly kind: 'sql' }
  /** An action as JSON in a code fence. */
  | { readonly kind: 'action'; readonly actions: readonly ActionName[] };

/** A program outside answers, from a graph index of its own (hybrid-agent.md §5, methods 10 and 11). */
export interface GraphMethod extends MethodBase {
  readonly kind: 'graph';
  /** How queries name the papers a question is about. */
  readonly papers: 'ids' | 'titles';
  /** Whether a model says if an answer will do, and asks again where it does not. The first answer stands otherwise. */
  readonly judge: { readonly role: string } | null;
}

/** What a method reads of the question it answers. */
export interface AskedItem {
  readonly question: string;
  readonly answer_format: string;
  readonly anchor_pdf: readonly string[];
  readonly conference: readonly string[];
}
