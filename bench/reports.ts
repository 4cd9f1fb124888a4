import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../client/services/versions.js';
import { runIdSchema } from '../domain/ids.js';
import {
  datasetFile,
  manifestFile,
  reportFile,
  resultsFile,
  runFolder,
  scoresFile,
} from '../domain/runs/run-layout.js';
import { startSimulatedModel } from '../simulator/simulated-model.js';
import { problemsOf, ratioTable, type Benchmark, type Findings, type Ratio } from './benchmark.js';
import { turnwise } from './chaos/command-line.js';
import { ingestExamplePapers } from './example-store.js';
import { datasetOf } from './question-run.js';

export const reportsBenchmark: Benchmark = {
  summary:
    '`report` of 2,000 questions × 10 turns, `score` of 10,000 answers; takes a minute and a half',
  run: measureReports,
};

const asked = 20;
const turns = 10;
const questions = 2000;
const answers = 10_000;

async function measureReports(log: (step: string) => void): Promise<Findings> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-reports-'));
  const model = await startSimulatedModel({
    script: { questions: [], prompts: [], generated: { turns } },
  });
  const settings = {
    TURNWISE_HOME: home,
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: 'sk-reports',
  };
  const seconds = async (args: readonly string[]): Promise<number> => {
    const start = performance.now();
    const command = turnwise(args, settings);
    if ((await command.ended) !== 0) throw new Error(command.lastOutput());
    return (performance.now() - start) / 1000;
  };
  try {
    await ingestExamplePapers(home, log);
    const dataset = join(home, 'asked.jsonl');
    writeFileSync(dataset, datasetOf(asked));
    log(`${asked} questions of ${turns} turns`);
    await seconds(['run', dataset, '--store', 'examples', '--run', 'asked', '--yes']);
    log(`copying them to ${questions} questions`);
    const many = copyQuestions(home, questions / asked);
    const reportSeconds = await seconds(['report', 'many']);
    const reportMb = statSync(join(many, reportFile)).size / 1e6;
    const { predictions, gold } = writeAnswers(home);
    const scoreSeconds = await seconds(['score', '--predictions', predictions, '--gold', gold]);
    const atMost = (name: string, value: number, limit: number): Ratio => ({
      name,
      value,
      limit,
      bound: 'at most',
    });
    const ratios: readonly Ratio[] = [
      atMost(`seconds of \`report\` for ${questions} questions`, reportSeconds, 20),
      atMost('megabytes of the page', reportMb, 30),
      atMost(`seconds of \`score\` for ${answers} answers`, scoreSeconds, 10),
    ];
    return {
      tables: [ratioTable(ratios)],
      figures: { questions, turns, answers, reportSeconds, reportMb, scoreSeconds, ratios },
      problems: problemsOf(ratios),
    };
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Writes a run `many` with `times` copies of each question of run `asked`, under new ids. Returns its folder. */
function copyQuestions(home: string, times: number): string {
  const from = join(home, runFolder(runIdSchema.parse('asked')));
  const to = join(home, runFolder(runIdSchema.parse('many')));
  mkdirSync(to, { recursive: true });
  const copies = Array.from({ length: times }, (_, index) => `-${index}`);
  for (const file of [datasetFile, resultsFile, scoresFile]) {
    const text = readFileSync(join(from, file), 'utf8');
    const renamed = copies.map((copy) => text.replaceAll(/\bq-(\d+)(?=["./])/g, `q-$1${copy}`));
    writeFileSync(join(to, file), renamed.join(''));
  }
  for (const uuid of readdirSync(join(from, 'turns'))) {
    for (const copy of copies) {
      cpSync(join(from, 'turns', uuid), join(to, 'turns', `${uuid}${copy}`), { recursive: true });
    }
  }
  const manifest = readFileSync(join(from, manifestFile), 'utf8');
  const renamed = manifest
    .replace('"run": "asked"', '"run": "many"')
    .replace(`"items": ${asked}`, `"items": ${questions}`);
  writeFileSync(join(to, manifestFile), renamed);
  return to;
}

/** Writes the example's golds, repeated, as both gold and predictions. */
function writeAnswers(home: string): { readonly predictions: string; readonly gold: string } {
  const examples = readFileSync(join(packageRoot, 'examples', 'questions.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ExampleItem);
  const items = Array.from({ length: answers }, (_, index) => {
    const item = examples[index % examples.length];
    return { ...item, uuid: `q-${index}` };
  });
  const predictions = items.map(({ uuid, evaluator }) => ({
    uuid,
    answer: evaluator?.eval_kwargs.gold,
  }));
  const write = (name: string, lines: readonly object[]): string => {
    const path = join(home, name);
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return path;
  };
  return { predictions: write('predictions.jsonl', predictions), gold: write('gold.jsonl', items) };
}

interface ExampleItem {
  readonly uuid: string;
  readonly evaluator: { readonly eval_kwargs: { readonly gold: unknown } };
}
