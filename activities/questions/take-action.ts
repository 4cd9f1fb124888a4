import { isCapped } from '../../domain/budget/amount.js';
import { answerText, type Action } from '../../domain/agent/actions/action.js';
import type { TracedQuery } from '../../domain/agent/database-qa/answer-trace.js';
import { outcomeOfQueries, renderQueries } from '../../domain/agent/database-qa/query-results.js';
import { methodOf, scopeFilter } from '../../domain/agent/methods.js';
import {
  defaultObservationStyle,
  classicSearch,
  calculationObservation,
} from '../../domain/agent/observations/observation.js';
import { storeOf } from '../../domain/agent/question-context.js';
import type { Observed, ToolFacts } from '../../domain/agent/observations/tool-outcome.js';
import {
  summariseObservation,
  type ActionTurn,
  type ObservationRecord,
  type Picture,
} from '../../domain/agent/turn-record.js';
import type { Deferral, TurnRef } from '../../domain/runs/question-ref.js';
import type { RunManifest, RunStore } from '../../domain/runs/run-manifest.js';
import { sum } from '../../domain/statistics/means.js';
import { deferrable } from '../failures.js';
import type { ClockPort } from '../ports/clock.js';
import type { OwnCodePort } from '../ports/own-code.js';
import { PortFailure } from '../ports/port-failure.js';
import type { RunFilesPort } from '../ports/run-files.js';
import type { GraphPort } from '../ports/tools.js';
import { requiredDatabase, runQueries } from './question-database.js';
import { searchVectorstore } from '../tools/search-vectorstore.js';
import { takePluginAction } from './plugin-action.js';
import { createStopwatch, type ToolPorts, type ToolUse } from '../tools/tool-use.js';
import { queryGraph, queryTables, viewPage } from '../tools/tools.js';

interface TakeActionPorts extends ToolPorts {
  readonly ownCode: Pick<OwnCodePort, 'callPlugin'>;
  readonly runFiles: RunFilesPort;
  readonly clock: ClockPort;
}

/**
 * Carries out the action of a turn's stored reply and stores its observation. An action that the budget does not cover now
 * resolves to a deferral.
 */
export function createTakeAction({
  runFiles,
  clock,
  ...tools
}: TakeActionPorts): (turn: TurnRef) => Promise<ActionTurn | Deferral> {
  return deferrable((ref, { signal }) => takeAction(ref, signal));

  async function takeAction(ref: TurnRef, signal: AbortSignal): Promise<ActionTurn> {
    const stored = await runFiles.observation(ref.run, ref, ref.turn);
    if (stored) return summariseObservation(stored);

    const [manifest, item, reply] = await Promise.all([
      runFiles.manifest(ref.run),
      runFiles.item(ref.run, ref.uuid),
      runFiles.reply(ref.run, ref, ref.turn),
    ]);
    const startedAt = clock.now();
    if (reply?.reading.kind === 'step' && reply.reading.step.kind === 'queries') {
      const { step } = reply.reading;
      const use = {
        tables: tools.tables,
        database: requiredDatabase(manifest, item),
        timeoutMs: manifest.config.toolTimeoutMs,
        shown: manifest.config.shownResults,
        signal,
      };
      const oneARound = manifest.config.method === 'iterative' ? 1 : undefined;
      const queries = await runQueries(use, step, oneARound);
      return save(ref, startedAt, queriesObservation(queries));
    }
    if (reply?.reading.kind !== 'action') {
      throw new PortFailure(
        'InvalidRun',
        `turn ${ref.turn} of question ${ref.uuid} has no action to take in run ${ref.run}`,
      );
    }
    const { action, calls } = reply.reading;
    if (calls === undefined) return save(ref, startedAt, await observationOf(action));
    const observed: Observation[] = [];
    for (const call of calls) {
      observed.push(
        call.kind === 'error'
          ? { content: `[Error]: ${call.error}` }
          : await observationOf(call.action),
      );
    }
    const main = calls.findLastIndex((call) => call.kind === 'action');
    const ofCalls = observed.map(({ content }) => content);
    return save(ref, startedAt, { content: '', ...observed[main], ofCalls });

    function observationOf(taken: Action): Promise<Observation> {
      if (taken.kind === 'PluginAction') {
        const { ownCode } = tools;
        const turn = { manifest, item, ref, action: taken };
        return takePluginAction({ runFiles, ownCode }, turn, signal);
      }
      const scope = scopeFilter(methodOf(manifest.config), item);
      const settings = { ...manifest, store: storeOf(manifest) };
      return observe(paidBy(manifest), settings, taken, scope, signal);
    }
  }

  /** The tools, for a run that pays for its queries. */
  function paidBy({ run, config }: RunManifest): ToolPorts {
    const payer = { run, capped: isCapped(config.budget) };
    const query: GraphPort['query'] = (request, signal) =>
      tools.graph.query({ ...request, ...payer }, signal);
    return { ...tools, graph: { query } };
  }

  async function save(
    ref: TurnRef,
    startedAt: string,
    observation: Observation,
  ): Promise<ActionTurn> {
    const record: ObservationRecord = {
      turn: ref.turn,
      ...observation,
      startedAt,
      endedAt: clock.now(),
    };
    return summariseObservation(await runFiles.saveObservation(ref.run, ref, record));
  }
}

/** An observation without its turn and times. */
export type Observation = Pick<
  ObservationRecord,
  'content' | 'ofCalls' | 'queries' | 'image' | 'facts'
>;

/** The observation of a step of queries. Its facts are those of the worst query. */
function queriesObservation(queries: readonly TracedQuery[]): Observation {
  const ms = sum(queries.map((query) => query.ms ?? 0));
  return {
    content: renderQueries(queries),
    queries,
    facts: { tool: 'sql', outcome: outcomeOfQueries(queries), ms },
  };
}

/** The settings of a run that its tools need. */
interface ToolSettings {
  readonly config: Pick<RunManifest['config'], 'observationFormat' | 'strict' | 'toolTimeoutMs'> & {
    readonly model: Pick<RunManifest['config']['model'], 'timeoutMs'>;
  };
  readonly store: Pick<RunStore, 'name' | 'fingerprint' | 'collections' | 'database'>;
}

/**
 * Carries out an action over the run's store and renders its result for the model.
 * @param scope - a condition for ClassicRetrieve in Milvus's filter language; empty for none
 */
export async function observe(
  ports: ToolPorts,
  { config, store }: ToolSettings,
  action: Action,
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
      return withFacts('search', await searchVectorstore(use, asked, 'turnwise'));
    }
    case 'CalculateExpr':
      return withFacts('calculation', calculationObservation(action.expr));
    case 'ViewImage':
      return withFacts('image', await viewPage(use, action));
    case 'QueryGraph':
      return withFacts('graph', await queryGraph(use, action));
    case 'PluginAction':
      throw new Error('`takePluginAction` takes the actions of plugins');
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
