import { renderRows, type ObservationStyle } from './observation.js';
import type { TableResult } from './table-result.js';
import { failed, type Observed } from './tool-outcome.js';

// The wording of these messages is the reference's (hybrid-agent.md §2.2): models were studied with it.

export const sqlObservation = (result: TableResult, style: ObservationStyle): Observed =>
  result.rows.length === 0
    ? {
        content: '[Warning]: The SQL execution result is empty, please check the SQL first.',
        outcome: { kind: 'empty' },
      }
    : renderRows(result, style);

export const sqlErrorObservation = (failure: string, message: string): Observed =>
  failed(failure, `[Error]: Runtime error during SQL execution and output formatting: ${message}`);

export const sqlTimeoutObservation = (timeoutMs: number): Observed =>
  failed(
    'timeout',
    `[TimeoutError]: The SQL execution is TIMEOUT given maximum ${timeoutMs / 1000} seconds.`,
  );
