// Without imports: the declarations of the package consist of this file and client/library. tests/types compares the names.

/** The actions that turnwise has (docs/reference/hybrid-agent.md). */
export type ActionName =
  | 'RetrieveFromDatabase'
  | 'RetrieveFromVectorstore'
  | 'ClassicRetrieve'
  | 'CalculateExpr'
  | 'ViewImage'
  | 'QueryGraph'
  | 'GenerateAnswer';

/** The methods that one may be like (docs/how-to/methods.md). */
export type LikeMethod =
  | 'hybrid_react'
  | 'database_react'
  | 'neusym_rag'
  | 'iterative_sym_rag'
  | 'iterative_neu_rag'
  | 'iterative_classic_rag'
  | 'two_stage_hybrid_rag'
  | 'two_stage_sym_rag'
  | 'two_stage_neu_rag'
  | 'classic_rag'
  | 'trivial_full_text_with_cutoff'
  | 'trivial_title_with_abstract'
  | 'trivial_question_only'
  | 'text-to-sql';

/** What a scorer is told of an answer. */
export interface AskedScore {
  readonly uuid: string;
  /** From 1. */
  readonly epoch: number;
  readonly question: string;
  readonly answer: string;
  /** The right answer, where the evaluator or the question has one; else null. */
  readonly gold: unknown;
  /** The named arguments of the evaluator. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The question as the dataset has it. */
  readonly item: Readonly<Record<string, unknown>>;
}

/** Any value that JSON has. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** What functions of a plugin get beside their argument. */
export interface CallContext {
  /** Aborts when the call has taken too long (`--tool-timeout`), or its question was cancelled. Hand it to `fetch`. */
  readonly signal: AbortSignal;
}

/** What a scorer concludes. */
export interface ScorerResult {
  /** From 0 to 1. Null: the answer stays unscored, and enters no mean. */
  readonly score: number | null;
  /** For the reader of the report. */
  readonly reason?: string;
}

/** A scorer: a question names it as `eval_func`, or a command as `--scorer`. */
export interface ScorerDefinition {
  /** Letters, digits, `_`, `-` and dots, and not the name of an evaluation function of turnwise. */
  readonly name: string;
  /**
   * Scores one answer. A number is a score without a reason. What it throws leaves the answer unscored with the message as
   * the reason. It may be called twice for an answer, when a worker is killed.
   */
  readonly score: (
    asked: AskedScore,
    context: CallContext & {
      /** The id of the run; null where predictions made elsewhere are scored. */
      readonly run: string | null;
    },
  ) => number | ScorerResult | Promise<number | ScorerResult>;
}

/** A parameter of an action, as the prompt describes it. */
export interface ParameterDefinition {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'any';
  readonly description: string;
  /** Makes the parameter optional. */
  readonly default?: JsonValue;
}

type ValueOf<Type extends ParameterDefinition['type']> = Type extends 'string'
  ? string
  : Type extends 'integer' | 'number'
    ? number
    : Type extends 'boolean'
      ? boolean
      : JsonValue;

/** The arguments of an action, checked against the types of its parameters. */
export type ArgumentsOf<Parameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends ParameterDefinition
    ? ValueOf<Parameters[Name]['type']>
    : never;
};

/** Where in a run an action is taken. */
export interface ActionContext extends CallContext {
  readonly run: string;
  readonly uuid: string;
  /** From 1. */
  readonly epoch: number;
  /** From 1. */
  readonly turn: number;
  /** The question as the dataset has it. */
  readonly item: Readonly<Record<string, unknown>>;
  /** The name of the run's store; null without one. */
  readonly store: string | null;
}

/** An action that a model may choose in a turn. */
export interface ActionDefinition<
  Parameters extends Readonly<Record<string, ParameterDefinition>> = Readonly<
    Record<string, ParameterDefinition>
  >,
> {
  /** As the model writes it: letters, digits and `_`, and not the name of an action of turnwise. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** What comes back, for the model. */
  readonly observation?: string;
  readonly parameters?: Parameters;
  /** Shown in the prompt. */
  readonly examples?: readonly {
    readonly explanation: string;
    readonly arguments: Readonly<Record<string, JsonValue>>;
  }[];
  /**
   * Carries the action out. A text is the observation as it is; any other value is shown as JSON. What it throws is shown to
   * the model as an error, and the question goes on. It may be called twice for a turn, when a worker is killed.
   */
  readonly run: (
    given: ArgumentsOf<Parameters>,
    context: ActionContext,
  ) => JsonValue | Promise<JsonValue>;
}

/** A way to answer a question. It is data: turnwise carries it out, as it does its own methods (docs/how-to/methods.md). */
export interface MethodDefinition {
  /** For `--method`. */
  readonly name: string;
  /** A method of turnwise whose fields count where this one has none. */
  readonly like?: LikeMethod;
  /** One line, for reports. @defaultValue the name */
  readonly summary?: string;
  /** @defaultValue `iterative`: one action a turn */
  readonly kind?: 'iterative' | 'single-shot' | 'two-stage';
  /** The first sentences of the prompt: the model's task and its sources. */
  readonly role?: string;
  /** Of turnwise by their names, or what `defineAction` returned. `GenerateAnswer` is always one of them. */
  readonly actions?: readonly (ActionName | DefinedAction)[];
  /** The schemas shown in the task. @defaultValue none */
  readonly schemas?: readonly ('database' | 'vectorstore' | 'described-vectorstore')[];
  /** @defaultValue none */
  readonly hints?: readonly string[];
  /** What ClassicRetrieve searches. @defaultValue `store` */
  readonly scope?: 'anchors' | 'store';
  /** `tables`: neither prompt nor actions speak of papers. @defaultValue `papers` */
  readonly about?: 'papers' | 'tables';
  /** Of a single-shot method. */
  readonly context?:
    | { readonly kind: 'none' | 'schema' }
    | { readonly kind: 'titles-and-abstracts' | 'full-text'; readonly cutoffTokens: number }
    | { readonly kind: 'search'; readonly limit: number };
  /** Of a two-stage method: its first call. */
  readonly retrieval?:
    { readonly kind: 'sql' } | { readonly kind: 'action'; readonly actions: readonly ActionName[] };
  /** Of a two-stage method: the role of its second call. */
  readonly answerRole?: string;
}

const mark: unique symbol = Symbol.for('turnwise.definition');

/** What a plugin exports. */
interface Defined<Kind extends 'action' | 'method' | 'scorer'> {
  readonly name: string;
  readonly [mark]: Kind;
}
export type DefinedAction = Defined<'action'>;
export type DefinedMethod = Defined<'method'>;
export type DefinedScorer = Defined<'scorer'>;

/** Makes a scorer to export from a plugin. It is checked when the plugin is loaded. */
export const defineScorer = (definition: ScorerDefinition): DefinedScorer => ({
  ...definition,
  [mark]: 'scorer',
});

/** Makes an action to export from a plugin, or to name in a method of it. It is checked when the plugin is loaded. */
export const defineAction = <
  const Parameters extends Readonly<Record<string, ParameterDefinition>>,
>(
  definition: ActionDefinition<Parameters>,
): DefinedAction => ({ ...definition, [mark]: 'action' });

/** Makes a method to export from a plugin. It is checked when the plugin is loaded. */
export const defineMethod = (definition: MethodDefinition): DefinedMethod => ({
  ...definition,
  [mark]: 'method',
});
