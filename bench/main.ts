import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitRevision, packageRoot } from '../client/services/versions.js';
import { ablationBenchmark } from './ablation.js';
import type { Benchmark } from './benchmark.js';
import { budgetBenchmark } from './budget.js';
import { chaosBenchmark } from './chaos.js';
import { engineBenchmark } from './engine.js';
import { limitsBenchmarks } from './limits.js';
import { thisMachine } from './machine.js';
import { methodsBenchmark } from './methods.js';
import { reportsBenchmark } from './reports.js';
import { resumeBenchmark } from './resume.js';
import { scaleBenchmark } from './scale.js';
import { toolsBenchmark } from './tools.js';

// `npm run bench -- NAME… [--save]`: tables on stdout, all else on stderr; --save keeps the figures in bench/results/.

const benchmarks: Readonly<Record<string, Benchmark>> = {
  ablation: ablationBenchmark,
  budget: budgetBenchmark,
  chaos: chaosBenchmark,
  engine: engineBenchmark,
  ...limitsBenchmarks,
  methods: methodsBenchmark,
  reports: reportsBenchmark,
  resume: resumeBenchmark,
  scale: scaleBenchmark,
  tools: toolsBenchmark,
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const tell = (line: string): void => void process.stderr.write(`${line}\n`);

const names = process.argv.slice(2).filter((argument) => argument !== '--save');
const save = process.argv.includes('--save');
// Before results are kept in it.
const revision = gitRevision();

if (names.length === 0 || names.some((name) => !Object.hasOwn(benchmarks, name))) {
  tell('Say which: npm run bench -- NAME… [--save]');
  for (const [name, { summary }] of Object.entries(benchmarks)) tell(`  ${name}  ${summary}`);
  process.exitCode = 2;
} else {
  for (const name of names) await runBenchmark(name, benchmarks[name]);
}

async function runBenchmark(name: string, benchmark: Benchmark | undefined): Promise<void> {
  const machine = thisMachine();
  const findings = await benchmark?.run(tell);
  if (findings === undefined) return;
  const { tables, figures, problems } = findings;
  say(tables.join('\n\n'));
  for (const problem of problems) tell(problem);
  if (problems.length > 0) process.exitCode = 1;
  if (save) keep(name, { benchmark: name, measuredAt: new Date().toISOString(), machine, figures });
}

function keep(name: string, results: object): void {
  const folder = join(packageRoot, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.json`);
  writeFileSync(path, `${JSON.stringify({ ...results, gitRevision: revision }, null, 2)}\n`);
  tell(`kept in ${path}`);
}
