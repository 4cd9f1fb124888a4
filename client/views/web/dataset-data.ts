import type { ShownTable } from '../../../domain/building/shown-table.js';
import type { ChoiceKind, GateName, Step } from '../../../domain/building/item.js';
import type { Awaited } from '../../../domain/building/waiting.js';
import type { TextPiece } from '../../../domain/formats/text-difference.js';
import type { NamedCount } from './page-data.js';

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

export interface OpenGate extends Awaited {
  readonly gate: GateName;
  /** What a decision names as seen. */
  readonly seen: number;
  readonly since: string;
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

export interface ResultData {
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
