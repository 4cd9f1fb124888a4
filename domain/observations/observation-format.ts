import type { ObservationFormatName } from './observation-format-names.js';
import { observationHtml } from './observation-html.js';
import { observationJson } from './observation-json.js';
import { observationMarkdown } from './observation-markdown.js';
import { observationString } from './observation-string.js';
import type { TableResult } from './table-result.js';

/** How rows are shown to the model. One file a format. */
export interface ObservationFormat {
  /** As the note under the rows names it. */
  readonly title: string;
  /** The first `shown` rows, in the reference's bytes where `strict`. */
  readonly render: (table: TableResult, shown: number, strict: boolean) => string;
}

export const observationFormats: Readonly<Record<ObservationFormatName, ObservationFormat>> = {
  json: observationJson,
  markdown: observationMarkdown,
  string: observationString,
  html: observationHtml,
};
