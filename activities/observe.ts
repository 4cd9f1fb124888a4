import { answerText, type Action } from '../domain/actions/action.js';
import { calculationObservation } from '../domain/observations/calculation-observation.js';
import { classicSearch } from '../domain/observations/classic-search.js';
import { defaultObservationStyle } from '../domain/observations/observation.js';
import type { Observed, ToolFacts } from '../domain/observations/tool-outcome.js';
import type { ObservationRecord, Picture } from '../domain/questions/turn-record.js';
import type { RunManifest } from '../domain/runs/run-manifest.js';
import { queryGraph } from './tools/query-graph.js';
import { queryTables } from './tools/query-tables.js';
import { searchVectorstore } from './tools/search-vectorstore.js';
import { createStopwatch, type ToolPorts, type ToolUse } from './tools/tool-use.js';
import { viewPage } from './tools/view-page.js';

/** An observation, but for turn and times. */
export type Observation = Pick<ObservationRecord, 'content' | 'image' | 'facts'>;

/** What of a run its tools need. */
export interface ToolSettings {
  readonly config: Pick<RunManifest['config'], 'observationFormat' | 'strict' | 'toolTimeoutMs'> & {
    readonly model: Pick<RunManifest['config']['model'], 'timeoutMs'>;
  };
  readonly store: Pick<RunManifest['store'], 'name' | 'collections'>;
}

/** Carries out an action over the run's store and puts what came of it into words for the model. */
export async function observe(
  ports: ToolPorts,
  { config, store }: ToolSettings,
  action: Action,
  /** The condition ClassicRetrieve is kept to, in Milvus's filter language; empty for none. */
  scope: string,
  signal: AbortSignal,
): Promise<Observation> {
  const { timed, ms } = createStopwatch();
  const use: ToolUse = {
    ...ports,
    store,
    signal,
    timed,
    timeoutMs: config.toolTimeoutMs,
    graphTimeoutMs: config.model.timeoutMs,
    style: {
      ...defaultObservationStyle,
      strictness: config.strict ? 'strict' : 'tolerant',
      format: config.observationFormat,
    },
  };
  switch (action.kind) {
    case 'RetrieveFromDatabase':
      return withFacts('sql', await queryTables(use, action));
    case 'RetrieveFromVectorstore':
      return withFacts('search', await searchVectorstore(use, action, 'model'));
    case 'ClassicRetrieve': {
      const asked = classicSearch(action, store.collections, scope);
      return withFacts('search', await searchVectorstore(use, asked, 'ourselves'));
    }
    case 'CalculateExpr':
      return withFacts('calculation', calculationObservation(action.expr));
    case 'ViewImage':
      return withFacts('image', await viewPage(use, action));
    case 'QueryGraph':
      return withFacts('graph', await queryGraph(use, action));
    case 'GenerateAnswer':
      return { content: answerText(action) };
  }

  function withFacts(
    tool: ToolFacts['tool'],
    {
      content,
      outcome,
      image,
      costUsd,
    }: Observed & { readonly image?: Picture; readonly costUsd?: number | null },
  ): Observation {
    const facts = { tool, outcome, ms: ms(), ...(costUsd !== undefined && { costUsd }) };
    return { content, ...(image && { image }), facts };
  }
}
