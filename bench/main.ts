import { availableParallelism } from 'node:os';
import type { Benchmark, Measurement } from './benchmark.js';
import { toolsBenchmark } from './tools.js';

// `npm run bench -- NAME…`: a table of milliseconds, then the same as one line of JSON. Fails where a median is over its limit.

const benchmarks: Readonly<Record<string, Benchmark>> = { tools: toolsBenchmark };

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const names = process.argv.slice(2);

if (names.length === 0 || names.some((name) => !Object.hasOwn(benchmarks, name))) {
  say('Say which: npm run bench -- NAME…');
  for (const [name, { summary }] of Object.entries(benchmarks)) say(`  ${name}  ${summary}`);
  process.exitCode = 2;
} else {
  for (const name of names) await runBenchmark(name, benchmarks[name]);
}

async function runBenchmark(name: string, benchmark: Benchmark | undefined): Promise<void> {
  const measurements = await benchmark?.run((step) => void process.stderr.write(`${step}\n`));
  if (measurements === undefined) return;
  say(table(measurements));
  const machine = {
    node: process.version,
    cpus: availableParallelism(),
    platform: process.platform,
  };
  say(JSON.stringify({ benchmark: name, machine, measurements }));
  if (measurements.some(isOver)) process.exitCode = 1;
}

function isOver({ p50, limitMs }: Measurement): boolean {
  return limitMs !== null && p50 >= limitMs;
}

function table(measurements: readonly Measurement[]): string {
  const widest = Math.max(...measurements.map(({ name }) => name.length));
  const row = (name: string, ...cells: readonly string[]): string =>
    `${name.padEnd(widest)}${cells.map((cell) => cell.padStart(12)).join('')}`.trimEnd();
  return [
    row('', 'calls', 'median ms', '95 % ms', 'limit ms'),
    ...measurements.map((each) =>
      row(
        each.name,
        String(each.calls),
        each.p50.toFixed(2),
        each.p95.toFixed(2),
        each.limitMs === null ? '' : `${isOver(each) ? 'over ' : ''}${each.limitMs}`,
      ),
    ),
  ].join('\n');
}
