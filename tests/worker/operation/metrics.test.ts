import { noopMetricMeter, type MetricMeter, type MetricTags } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import type { ModelReply, ModelRequest } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { environmentSchema } from '../../../domain/settings.js';
import { countCalls, metricsExporter } from '../../../worker/operation/metrics.js';

/** Writes down what it counts, as `name{tags} value`. */
function recordingMeter(): { readonly meter: MetricMeter; readonly counted: string[] } {
  const counted: string[] = [];
  const meter: MetricMeter = {
    createHistogram: (name) => noopMetricMeter.createHistogram(name),
    createGauge: (name) => noopMetricMeter.createGauge(name),
    withTags: () => meter,
    createCounter: (name) => ({
      ...noopMetricMeter.createCounter(name),
      add: (value: number, tags: MetricTags = {}) => {
        counted.push(`${name}{${Object.values(tags).join()}} ${value}`);
      },
    }),
  };
  return { meter, counted };
}

const request = { model: 'm', price: { input: 2, output: 10 } } as ModelRequest;
const { signal } = new AbortController();

describe('what the provider was asked', () => {
  it('is counted with its tokens and its cost', async () => {
    const { meter, counted } = recordingMeter();
    const tokens = { prompt: 1_000, cached: 400, completion: 50 };
    const port = countCalls(meter)({
      complete: () => Promise.resolve({ tokens } as ModelReply),
    });
    await port.complete(request, signal);
    expect(counted).toEqual([
      'turnwise_model_calls{m,answered} 1',
      'turnwise_model_tokens{m,prompt} 600',
      'turnwise_model_tokens{m,cached} 400',
      'turnwise_model_tokens{m,completion} 50',
      'turnwise_model_cost_microdollars{m} 2500',
    ]);
  });

  it('is counted in a batch when its answer is there, and not while it is waited for', async () => {
    const { meter, counted } = recordingMeter();
    const batched = { ...request, batched: { uuid: 'q', epoch: 1, asking: 1, call: 'turn 1' } };
    const deferred = new PortFailure('ModelDeferred', 'collected', { reason: 'batch' });
    const tokens = { prompt: 1_000, cached: 0, completion: 50 };
    const replies = [
      () => Promise.reject(deferred),
      () => Promise.resolve({ tokens, batched: true } as ModelReply),
    ];
    const port = countCalls(meter)({ complete: () => (replies.shift() ?? Promise.reject)() });
    await expect(port.complete(batched as ModelRequest, signal)).rejects.toBe(deferred);
    await port.complete(batched as ModelRequest, signal);
    expect(counted[0]).toBe('turnwise_model_calls{m,answered} 1');
    expect(counted).toHaveLength(5);
  });

  it('is counted by what it failed of', async () => {
    const { meter, counted } = recordingMeter();
    const failing = (error: Error) => countCalls(meter)({ complete: () => Promise.reject(error) });
    const refused = new PortFailure('ModelRateLimited', 'slow down');
    await expect(failing(refused).complete(request, signal)).rejects.toBe(refused);
    const other = new Error('cancelled');
    await expect(failing(other).complete(request, signal)).rejects.toBe(other);
    expect(counted).toEqual([
      'turnwise_model_calls{m,ModelRateLimited} 1',
      'turnwise_model_calls{m,aborted} 1',
    ]);
  });
});

describe('where metrics go', () => {
  const exporter = (env: Record<string, string>) => metricsExporter(environmentSchema.parse(env));
  const otlp = 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT';

  it('is nowhere by default, an address for Prometheus, or a collector', () => {
    expect(exporter({})).toBeUndefined();
    expect(exporter({ TURNWISE_METRICS: '[::1]:9464' })).toMatchObject({
      prometheus: { bindAddress: '[::1]:9464' },
    });
    expect(exporter({ [otlp]: 'http://c:4317' })).toMatchObject({ otel: { http: false } });
    expect(exporter({ [otlp]: 'http://c:4318/v1/metrics' })).toMatchObject({
      otel: { http: true },
    });
  });

  it('is one of them only', () => {
    expect(() => exporter({ TURNWISE_METRICS: '0.0.0.0:1', [otlp]: 'http://c:4317' })).toThrow(
      'unset one',
    );
  });

  it.each(['9464', 'host:', ':9464', 'a:0', 'a:65536', 'http://a:1'])('is no %s', (address) => {
    expect(
      environmentSchema.safeParse({ TURNWISE_METRICS: address }).error?.issues[0]?.message,
    ).toBe('must be HOST:PORT, such as 127.0.0.1:9464');
  });
});
