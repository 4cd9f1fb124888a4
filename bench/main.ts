import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gitRevision, packageRoot } from '../client/services/versions.js';
import { ablationBenchmark } from './ablation.js';
import type { Benchmark, BenchmarkOptions } from './benchmark.js';
import { budgetBenchmark } from './budget.js';
import { chaosBenchmark } from './chaos/chaos.js';
import { ceilingsBenchmark } from './chaos/chaos-ceilings.js';
import { machinesBenchmark } from './chaos/chaos-machines.js';
import { databaseBenchmark } from './database-qa.js';
import { engineBenchmark } from './engine.js';
import { extractionBenchmark } from './extraction/extraction.js';
import { gatesBenchmark } from './gates.js';
import { ingestBenchmark } from './ingest/ingest.js';
import { limitsBenchmarks } from './limits/limits.js';
import { methodsBenchmark } from './methods.js';
import { reportsBenchmark } from './reports.js';
import { resumeBenchmark } from './resume.js';
import { reviewBenchmark } from './review.js';
import { runFilesBenchmark } from './run-files.js';
import { scaleBenchmark } from './scale.js';
import { toolsBenchmark } from './tools.js';

// `npm run bench -- NAME… [--save] [--calls N]` prints tables on stdout and everything else on stderr. --save stores the figures in
// bench/results/.

const benchmarks: Readonly<Record<string, Benchmark>> = {
  ablation: ablationBenchmark,
  budget: budgetBenchmark,
  chaos: chaosBenchmark,
  'chaos-ceilings': ceilingsBenchmark,
  'chaos-machines': machinesBenchmark,
  databases: databaseBenchmark,
  engine: engineBenchmark,
  extraction: extractionBenchmark,
  gates: gatesBenchmark,
  ingest: ingestBenchmark,
  ...limitsBenchmarks,
  methods: methodsBenchmark,
  reports: reportsBenchmark,
  resume: resumeBenchmark,
  review: reviewBenchmark,
  'run-files': runFilesBenchmark,
  scale: scaleBenchmark,
  tools: toolsBenchmark,
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const log = (line: string): void => void process.stderr.write(`${line}\n`);

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    save: { type: 'boolean', default: false },
    calls: { type: 'string' },
    questions: { type: 'string' },
    items: { type: 'string' },
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
const {
  help,
  save,
  calls,
  questions,
  items,
  turns,
  'milvus-down': milvusDown,
  'key-refused': keyRefused,
  'objects-down': objectsDown,
  ...others
} = values;
const numbers = { calls, questions, items, turns, milvusDown, keyRefused, objectsDown };
const options: BenchmarkOptions = {
  ...others,
  ...Object.fromEntries(
    Object.entries(numbers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Number(value)]],
    ),
  ),
};
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
  print(tables.join('\n\n'));
  for (const problem of problems) log(problem);
  if (problems.length > 0) process.exitCode = 1;
  if (save)
    saveResults(name, { benchmark: name, measuredAt: new Date().toISOString(), machine, figures });
}

function saveResults(name: string, results: object): void {
  const folder = join(packageRoot, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.json`);
  writeFileSync(path, `${JSON.stringify({ ...results, gitRevision: revision }, null, 2)}\n`);
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
