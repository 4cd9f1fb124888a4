import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gitRevision, packageRoot } from '../client/services/programs.js';
import type { Benchmark, BenchmarkOptions } from './benchmark.js';
import { budgetBenchmark } from './budget.js';
import { chaosBenchmark } from './chaos/chaos-run.js';
import { ceilingsBenchmark } from './chaos/machines/ceilings-run.js';
import { machinesBenchmark } from './chaos/machines/machines-run.js';
import { databaseBenchmark } from './database-qa.js';
import { engineBenchmark } from './engine.js';
import { extractionBenchmark } from './extraction/extraction.js';
import { ingestBenchmark } from './ingest.js';
import { resumeBenchmark, scaleBenchmark } from './kill-and-resume.js';
import { limitsBenchmarks } from './limits/limits.js';
import { methodsBenchmark } from './methods.js';
import { retrievalBenchmark } from './retrieval/retrieval.js';
import { toolsBenchmark } from './tools.js';

// `npm run bench -- NAME… [--save] [--calls N]` prints tables on stdout and everything else on stderr. --save stores the figures in
// bench/results/.

const benchmarks: Readonly<Record<string, Benchmark>> = {
  budget: budgetBenchmark,
  chaos: chaosBenchmark,
  'chaos-ceilings': ceilingsBenchmark,
  'chaos-machines': machinesBenchmark,
  databases: databaseBenchmark,
  engine: engineBenchmark,
  extraction: extractionBenchmark,
  ingest: ingestBenchmark,
  ...limitsBenchmarks,
  methods: methodsBenchmark,
  resume: resumeBenchmark,
  retrieval: retrievalBenchmark,
  scale: scaleBenchmark,
  tools: toolsBenchmark,
};

const log = (line: string): void => void process.stderr.write(`${line}\n`);

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    save: { type: 'boolean', default: false },
    calls: { type: 'string' },
    questions: { type: 'string' },
    turns: { type: 'string' },
    'milvus-down': { type: 'string' },
    'key-refused': { type: 'string' },
    'objects-down': { type: 'string' },
    papers: { type: 'string' },
    tables: { type: 'string' },
    only: { type: 'string' },
    paper: { type: 'string' },
    worst: { type: 'boolean', default: false },
  },
});
const { help, save, ...given } = values;
const numbers = ['calls', 'questions', 'turns', 'milvus-down', 'key-refused', 'objects-down'];
const options: BenchmarkOptions = Object.fromEntries(
  Object.entries(given).map(([name, value]) => [
    name,
    numbers.includes(name) ? Number(value) : value,
  ]),
);
// Read first: saved results make the checkout dirty.
const revision = gitRevision();

if (help || names.length === 0 || names.some((name) => !Object.hasOwn(benchmarks, name))) {
  log('Usage: npm run bench -- NAME… [--save] [--calls N]');
  for (const [name, { summary }] of Object.entries(benchmarks)) log(`  ${name}  ${summary}`);
  process.exitCode = help ? 0 : 2;
} else {
  for (const name of names) await runBenchmark(name, benchmarks[name]);
}

async function runBenchmark(name: string, benchmark: Benchmark | undefined): Promise<void> {
  const machine = describeMachine();
  const findings = await benchmark?.run(log, options);
  if (findings === undefined) return;
  const { tables, figures, problems } = findings;
  process.stdout.write(`${tables.join('\n\n')}\n`);
  for (const problem of problems) log(problem);
  if (problems.length > 0) process.exitCode = 1;
  if (!save) return;
  const folder = join(packageRoot, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.json`);
  const measuredAt = new Date().toISOString();
  const results = { benchmark: name, measuredAt, machine, figures, gitRevision: revision };
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
  log(`saved to ${path}`);
}

/** The machine that the figures were measured on. */
function describeMachine(): object {
  return {
    node: process.version,
    platform: `${platform()} ${arch()}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    // Processes that wanted a core, averaged over the last minute: other programs may share the machine.
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}
