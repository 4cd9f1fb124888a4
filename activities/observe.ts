import type { Action } from '../domain/actions/action.js';
import {
  defaultObservationStyle,
  type ObservationStyle,
} from '../domain/observations/observation.js';
import {
  searchErrorObservation,
  searchObservation,
  searchTimeoutObservation,
  sqlErrorObservation,
  sqlObservation,
  sqlTimeoutObservation,
} from '../domain/observations/retrieval-observation.js';
import { classicRetrieval } from '../domain/observations/classic-retrieval.js';
import { answerText } from '../domain/actions/action.js';
import type { RunManifest } from '../domain/runs/run-manifest.js';
import type { SearchPort } from './ports/search.js';
import type { TablesPort } from './ports/tables.js';

export interface ToolPorts {
  readonly tables: TablesPort;
  readonly search: SearchPort;
}

/** Carries out an action over the run's store and puts what came of it into words for the model. */
export async function observe(
  ports: ToolPorts,
  { config, store }: RunManifest,
  action: Action,
  signal: AbortSignal,
): Promise<string> {
  const timeoutMs = config.toolTimeoutMs;
  const style: ObservationStyle = {
    ...defaultObservationStyle,
    strictness: config.strict ? 'strict' : 'tolerant',
  };
  switch (action.kind) {
    case 'RetrieveFromDatabase':
      return retrieveFromDatabase(action.sql);
    case 'ClassicRetrieve':
      return classicRetrieve(action.query, action.limit);
    case 'GenerateAnswer':
      return answerText(action);
  }

  async function retrieveFromDatabase(sql: string): Promise<string> {
    const request = { store: store.name, sql, maxRows: style.maxRows, timeoutMs };
    const outcome = await ports.tables.query(request, signal);
    switch (outcome.kind) {
      case 'rows':
        return sqlObservation(outcome.result, style);
      case 'sql-error':
        return sqlErrorObservation(outcome.message);
      case 'sql-timeout':
        return sqlTimeoutObservation(timeoutMs);
    }
  }

  async function classicRetrieve(query: string, limit: number): Promise<string> {
    const { collection, tableName, columnName, filter } = classicRetrieval(store.collections);
    const outcome = await ports.search.search(
      { store: store.name, collection, query, filter, limit, timeoutMs },
      signal,
    );
    switch (outcome.kind) {
      case 'hits': {
        const primaryKeys = outcome.hits.map(({ primaryKey }) => primaryKey);
        const texts = await ports.tables.texts(
          { store: store.name, tableName, columnName, primaryKeys },
          signal,
        );
        return searchObservation({ query, hits: outcome.hits, texts }, style);
      }
      case 'search-error':
        return searchErrorObservation(outcome.message);
      case 'search-timeout':
        return searchTimeoutObservation(timeoutMs);
    }
  }
}
