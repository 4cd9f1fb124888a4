import type { Client } from '@temporalio/client';
import type { MetricMeter } from '@temporalio/common';
import type { TelemetryOptions } from '@temporalio/worker';
import type { CallStage, ModelPort } from '../../activities/ports/model.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import { inHome, type HomeId } from '../../domain/home.js';
import { searchAttributes } from '../../domain/ids.js';
import { costOfCall } from '../../domain/models/usage.js';
import { runAttributes } from '../../domain/runs/run-progress.js';
import type { Environment } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { workflowNames } from '../../workflows/messages.js';

/**
 * Where the metrics of the SDK go, and ours with them: they are made by the same meter. Undefined where nobody wants them.
 * Throws UserError where both ways are set.
 */
export function metricsExporter({
  TURNWISE_METRICS: address,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: url,
}: Pick<
  Environment,
  'TURNWISE_METRICS' | 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'
>): TelemetryOptions['metrics'] {
  if (address !== undefined && url !== undefined) {
    throw new UserError(
      'TURNWISE_METRICS and OTEL_EXPORTER_OTLP_METRICS_ENDPOINT are both set: a worker serves its metrics or sends them; unset one',
    );
  }
  const names = { attachServiceName: false, metricPrefix: 'temporal_' };
  // Models take longer than the requests that the SDK has its buckets for.
  const histogramBucketOverrides = {
    [callSeconds]: [0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300, 600],
  };
  if (url !== undefined) {
    const http = new URL(url).pathname.length > 1;
    return {
      ...names,
      otel: { url, http, useSecondsForDurations: true, histogramBucketOverrides },
    };
  }
  if (address === undefined) return undefined;
  return {
    ...names,
    // As Prometheus names them.
    prometheus: {
      ...{ bindAddress: address, countersTotalSuffix: true, unitSuffix: true },
      useSecondsForDurations: true,
      histogramBucketOverrides,
    },
  };
}

const callSeconds = 'turnwise_model_call_duration';

/** The last link of a model call: counts what the provider is asked and answers, by model. */
export function countCalls(meter: MetricMeter): (next: ModelPort) => ModelPort {
  const calls = meter.createCounter('turnwise_model_calls', undefined, 'model calls, by outcome');
  const tokens = meter.createCounter('turnwise_model_tokens', undefined, 'as the provider bills');
  const cost = meter.createCounter(
    'turnwise_model_cost_microdollars',
    undefined,
    'millionths of a US dollar, of calls with a known price',
  );
  const seconds = meter.createHistogram(callSeconds, 'float', 'seconds', 'until the reply');
  return (next) => ({
    complete: async (request, signal, report) => {
      const { model, price } = request;
      const startMs = performance.now();
      const end = (outcome: string): void => {
        calls.add(1, { model, outcome });
        // A batch has a time, and no call of it.
        if (request.batched) return;
        seconds.record((performance.now() - startMs) / 1_000, { model });
      };
      try {
        const reply = await next.complete(request, signal, report);
        end('answered');
        if (reply.tokens !== null) {
          const { prompt, completion, cached } = reply.tokens;
          const kinds = { prompt: prompt - cached, cached, completion };
          for (const [kind, count] of Object.entries(kinds))
            tokens.add(Math.max(0, count), { model, kind });
          const usd = costOfCall(reply.tokens, price);
          if (usd !== null) cost.add(Math.round(usd * 1e6), { model });
        }
        return reply;
      } catch (error) {
        const type = error instanceof PortFailure ? error.type : 'aborted';
        if (!(request.batched && type === 'ModelDeferred')) end(type);
        throw error;
      }
    },
  });
}

/** What a worker knows at a moment. */
interface Gauges {
  readonly stages: () => Readonly<Record<CallStage, number>>;
  readonly oldestTurnMs: () => number;
  /** Dependencies by name, and whether each is known to fail. */
  readonly outages: () => Iterable<readonly [dependency: string, fails: boolean]>;
  readonly client: Client;
  readonly home: HomeId;
}

const sampleEveryMs = 5_000;
/** Each costs the server a query of its visibility. */
const listEveryMs = 30_000;

/** Sets the gauges again and again, until the signal aborts. */
export function keepGauges(meter: MetricMeter, gauges: Gauges, signal: AbortSignal): void {
  const waiting = meter.createGauge('turnwise_calls_open', 'int', undefined, 'calls, by stage');
  const oldest = meter.createGauge('turnwise_oldest_turn_age_seconds', 'float', undefined, 'here');
  const outage = meter.createGauge('turnwise_outage', 'int', undefined, '1 while it fails');
  const runs = meter.createGauge('turnwise_open_runs', 'int', undefined, 'of the home, by state');
  const sample = (): void => {
    for (const [stage, count] of Object.entries(gauges.stages())) waiting.set(count, { stage });
    oldest.set(gauges.oldestTurnMs() / 1_000);
    for (const [dependency, fails] of gauges.outages()) outage.set(fails ? 1 : 0, { dependency });
  };
  const list = async (): Promise<void> => {
    const counts = await openRuns(gauges).catch(() => null);
    if (counts !== null) for (const [state, count] of counts) runs.set(count, { state });
  };
  sample();
  void list();
  const timers = [
    setInterval(sample, sampleEveryMs).unref(),
    setInterval(() => void list(), listEveryMs).unref(),
  ];
  signal.addEventListener('abort', () => timers.forEach(clearInterval), { once: true });
}

async function openRuns({
  client,
  home,
}: Pick<Gauges, 'client' | 'home'>): Promise<ReadonlyMap<string, number>> {
  const of = `WorkflowType = '${workflowNames.runDataset}' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '${inHome(home, 'run/')}'`;
  const counted = runAttributes.map(async (state) => {
    const { count } = await client.workflow.count(
      `${of} AND ${searchAttributes.state} = '${state}'`,
    );
    return [state, count] as const;
  });
  return new Map(await Promise.all(counted));
}
