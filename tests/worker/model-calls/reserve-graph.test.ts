import { describe, expect, it } from 'vitest';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { GraphPort } from '../../../activities/ports/tools.js';
import { runIdSchema, storeNameSchema } from '../../../domain/ids.js';
import { leasedBudgets } from '../../../worker/model-calls/budget-lease.js';
import { reservingGraph } from '../../../worker/model-calls/reserve.js';
import { LeasedRun } from '../../support/runs/leased-run.js';
import { testHome } from '../../support/test-home.js';

const request = {
  store: storeNameSchema.parse('papers'),
  query: 'Why?',
  timeoutMs: 1000,
  run: runIdSchema.parse('capped'),
  capped: true,
};
const capOf = (usd: number) => ({ usd, tokens: null });

/** A program whose queries cost so much, in the order in which they are made; the last cost is that of all others. */
class Program implements GraphPort {
  usd = 0;
  inFlight = 0;
  /** How many were in flight when each was made. */
  readonly beside: number[] = [];

  constructor(readonly costs: readonly (number | null)[]) {}

  readonly query: GraphPort['query'] = async () => {
    const costUsd = this.costs[this.beside.length] ?? this.costs.at(-1) ?? null;
    this.beside.push(this.inFlight);
    this.inFlight += 1;
    await new Promise((resolve) => setImmediate(resolve));
    this.inFlight -= 1;
    this.usd += costUsd ?? 0;
    return { answer: 'Because.', costUsd };
  };
}

const queried = (run: LeasedRun, program: GraphPort): GraphPort =>
  reservingGraph(leasedBudgets(run.client, testHome))(program);

/** Makes queries at the same time, and resolves to the number of those that were deferred. */
async function queryAll(graph: GraphPort, count: number): Promise<number> {
  const outcomes = Array.from({ length: count }, () =>
    graph.query(request, new AbortController().signal).then(
      () => [],
      (error: unknown) => {
        expect(error).toMatchObject({ type: 'ModelDeferred', options: { reason: 'budget' } });
        return [error];
      },
    ),
  );
  return (await Promise.all(outcomes)).flat().length;
}

describe('the queries of a graph program', () => {
  it('never cost more than the budget with 100 of them at once, and all end once it is raised', async () => {
    const run = new LeasedRun(capOf(1));
    const program = new Program([0.04, 0.045, 0.04]);
    const graph = queried(run, program);
    const left = await queryAll(graph, 100);
    expect(left).toBeGreaterThan(70);
    expect(program.usd).toBeLessThanOrEqual(1);
    expect(program.usd).toBeGreaterThan(0.9);
    // The first one tells what the others may cost.
    expect(program.beside.slice(0, 2)).toEqual([0, 0]);
    run.raise(capOf(6));
    expect(await queryAll(graph, left)).toBe(0);
    expect(program.beside).toHaveLength(100);
  });

  it('are not limited where the program does not say what they cost', async () => {
    const program = new Program([null]);
    expect(await queryAll(queried(new LeasedRun(capOf(1)), program), 10)).toBe(0);
  });

  it('count with the most that one has cost where the program fails after it began', async () => {
    const run = new LeasedRun(capOf(1));
    let fails = false;
    const graph = queried(run, {
      query: () => {
        if (fails) throw new PortFailure('GraphProgramFailed', 'no answer');
        return Promise.resolve({ answer: 'Because.', costUsd: 0.4 });
      },
    });
    expect(await queryAll(graph, 1)).toBe(0);
    fails = true;
    await expect(graph.query(request, new AbortController().signal)).rejects.toThrow('no answer');
    fails = false;
    expect(await queryAll(graph, 1)).toBe(1);
  });
});
