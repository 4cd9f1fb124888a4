import { observationJson } from './observation-json.js';
import type { TableResult } from './table-result.js';

/** How rows are shown to the model. One file a format. */
export interface ObservationFormat {
  /** As the note under the rows names it. */
  readonly title: string;
  /** The first `shown` rows, in the reference's bytes where `strict`. */
  readonly render: (table: TableResult, shown: number, strict: boolean) => string;
}

export const observationFormats = { json: observationJson } as const satisfies Record<
  string,
  ObservationFormat
>;
export type ObservationFormatName = keyof typeof observationFormats;
