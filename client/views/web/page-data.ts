import type { RunCondition } from '../../../domain/runs/run-progress.js';
import type { Note } from '../../../domain/runs/run-manifest.js';
import type { ShownLimit } from '../../../domain/runs/run-config.js';
import type { PageQuestion } from '../page/page-question.js';
import type { QuestionRow, QuestionTable } from '../page/question-table.js';
import type { ShownTable } from '../../../domain/building/shown-table.js';
import type { ChoiceKind, GateName, Step } from '../../../domain/building/item.js';
import type { Awaited } from '../../../domain/building/waiting.js';
import type { TextPiece } from '../../../domain/formats/text-difference.js';

// What the pages are sent, as JSON.

/** A mean with its 95 % interval. */
export interface ShownScore {
  /** Empty for scores from 0 to 1. */
  readonly scale: string;
  readonly mean: number;
  /** Null where it is not known. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** What people have ruled, and the mean without that; null without any ruling. */
  readonly rulings: string | null;
}

export interface RunRow {
  readonly run: string;
  readonly state: RunCondition;
  readonly method: string;
  readonly model: string;
  readonly dataset: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Null until it has been counted. */
  readonly ended: number | null;
  readonly samples: number;
  /** Questions that ended for outside reasons. */
  readonly failed: number;
  /** Null until they have been read. */
  readonly scores: readonly ShownScore[] | null;
  /** Null where it is not known. */
  readonly costUsd: number | null;
  readonly cost: string;
  /** Of the notes on the run itself. */
  readonly tags: readonly string[];
}

export interface RunsData {
  readonly home: string;
  readonly runs: readonly RunRow[];
  /** The names of all stores. */
  readonly stores: readonly string[];
}

export interface StoreData {
  /** Its papers, as a table. */
  readonly columns: readonly string[];
  readonly papers: readonly (readonly (string | number)[])[];
  /** What else it holds: its vectors, or the tables of a database. HTML. */
  readonly sections: string;
}

/** An evaluation, by what its runs have come to together. */
export interface EvaluationRow extends Pick<
  RunRow,
  'state' | 'samples' | 'failed' | 'costUsd' | 'cost' | 'startedAt'
> {
  readonly evaluation: string;
  readonly runs: number;
  readonly ended: number;
}

export interface EvaluationsData {
  readonly home: string;
  readonly evaluations: readonly EvaluationRow[];
}

export interface EvaluationData extends EvaluationRow {
  readonly rows: readonly RunRow[];
  /** Scores and differences as HTML. */
  readonly sections: string;
}

export interface NamedCount {
  readonly name: string;
  readonly count: number;
}

/** A question of a run, by what identifies it. */
export type QuestionName = Pick<QuestionRow, 'uuid' | 'epoch'>;

export interface RunData extends Pick<RunRow, 'run' | 'state' | 'samples' | 'failed' | 'cost'> {
  /** The state in words. */
  readonly stateText: string;
  /** Since it was started, to its end if it has one. In milliseconds. */
  readonly elapsedMs: number;
  /** Why it does not go on, and what helps. */
  readonly lines: readonly string[];
  /** Those on the run itself. */
  readonly notes: readonly Note[];
  readonly ended: number;
  /** Empty without any score. */
  readonly scores: readonly ShownScore[];
  readonly outcomes: readonly NamedCount[];
  /** The reasons of these, the most frequent first. */
  readonly failures: readonly NamedCount[];
  readonly live: LiveRunData | null;
  /** The report's sections as HTML. Null for a run of thousands of questions that goes on. */
  readonly sections: {
    readonly headline: string;
    readonly facts: string;
    readonly ledger: string;
  } | null;
  /** Null where no Temporal UI of ours runs. */
  readonly temporalUrl: string | null;
}

/** What only the workers of a run know. */
export interface LiveRunData {
  readonly concurrency: number;
  readonly inFlight: number;
  readonly waiting: number;
  /** About how long it still takes, in milliseconds. Null where that is not known. */
  readonly leftMs: number | null;
  /** ISO 8601. */
  readonly deadline: string | null;
  readonly budget: {
    readonly usd: SpentPart;
    readonly tokens: SpentPart;
  };
  /** What may be changed, in the order of the form. */
  readonly limits: readonly ShownLimit[];
  readonly accounts: readonly AccountData[];
  /** Questions without progress, the slowest first. */
  readonly slow: readonly (QuestionName & { readonly text: string })[];
  /** The newest turns, the latest first. */
  readonly turns: readonly NewTurn[];
}

interface SpentPart {
  readonly spent: number;
  readonly reserved: number;
  readonly cap: number | null;
}

/** The rate limiter of a provider account. */
export interface AccountData {
  readonly name: string;
  readonly inFlight: number;
  readonly waiting: number;
  readonly acceptedPerMinute: number;
  readonly refusedPerMinute: number;
  readonly text: string;
}

export interface NewTurn extends QuestionName {
  readonly turn: number;
  /** Null if the reply could not be read. */
  readonly action: string | null;
  readonly text: string;
  /** ISO 8601. */
  readonly at: string;
  readonly ms: number;
}

export interface QuestionData {
  readonly question: PageQuestion;
  /** Data URLs. */
  readonly pictures: readonly string[];
  readonly temporalUrl: string | null;
  /** Whether it can be cancelled, or asked again. */
  readonly can: 'cancel' | 'retry' | null;
}

export interface ComparisonData {
  /** HTML of the report's. */
  readonly sections: string;
  readonly questions: QuestionTable;
}

export interface SidesData {
  readonly before: PageQuestion;
  readonly after: PageQuestion;
  /** Data URLs. */
  readonly pictures: readonly string[];
}

export interface PlotsData {
  /** Of the report's. */
  readonly html: string;
}

// What the pages of datasets that are built are sent, as JSON.

export interface DatasetsData {
  readonly home: string;
  readonly datasets: readonly DatasetRow[];
}

export interface DatasetRow {
  readonly dataset: string;
  readonly model: string;
  readonly paused: boolean;
  readonly items: number;
  /** Those that wait for a person. */
  readonly waiting: number;
  /** By state, without those that no item is in. */
  readonly states: readonly NamedCount[];
}

export interface DatasetData extends DatasetRow {
  readonly annotators: number;
  /** Those that wait longest first. */
  readonly gates: readonly GateRow[];
}

export interface GateRow extends Awaited {
  readonly item: string;
  readonly gate: GateName;
  /** ISO 8601. */
  readonly since: string;
  /** Why it is parked; empty where it is not. */
  readonly parked: string;
  /** The beginning of its question. */
  readonly question: string;
}

export interface ItemData {
  readonly dataset: string;
  readonly item: string;
  readonly state: string;
  readonly annotators: number;
  /** Null where the item waits for nobody. */
  readonly gate: OpenGate | null;
  readonly seedQuestion: string;
  /** DDL. */
  readonly schema: string;
  readonly parts: readonly PartData[];
  readonly decisions: readonly DecisionData[];
}

export interface OpenGate extends Awaited, Pick<GateRow, 'gate' | 'since'> {
  /** What a decision names as seen. */
  readonly seen: number;
  /** Why it is parked; null where it is not. */
  readonly parked: { readonly reason: string; readonly message: string } | null;
  /** What a person shall look at. */
  readonly criteria: string;
  readonly choices: readonly ChoiceKind[];
  /** Models can be asked again for these. */
  readonly steps: readonly Step[];
  /** Of an accepted answer; empty at other gates. */
  readonly categories: readonly string[];
  /** The category that a model proposes; empty where none does. */
  readonly proposed: string;
  /** The text that may be edited, and its name; null where none may. */
  readonly edited: { readonly part: string; readonly text: string } | null;
}

export interface PartData {
  readonly part: string;
  readonly version: number;
  /** The person or the model. */
  readonly by: string;
  readonly at: string;
  readonly isByPerson: boolean;
  readonly text: string;
  /** Of rows, the tables that they fill; of queries, their results. */
  readonly results: readonly ResultData[];
  /** What an edit has changed; null where none has. */
  readonly difference: readonly TextPiece[] | null;
}

interface ResultData {
  /** The name of a table, or empty. */
  readonly name: string;
  readonly sql: string;
  /** Null where it is shown as text. */
  readonly table: ShownTable | null;
  readonly shown: string;
}

export interface DecisionData {
  readonly id: string;
  readonly at: string;
  /** Who has decided what. */
  readonly text: string;
  readonly reason: string;
  /** The versions that were shown, and those of the prompts. */
  readonly shown: readonly number[];
  readonly prompts: readonly string[];
}
