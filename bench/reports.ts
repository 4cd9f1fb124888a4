import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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
import { atMost, ratioFindings, type Benchmark } from './benchmark.js';
import { succeeded, turnwise } from './chaos/command-line.js';
import { withRun } from './chaos/run-command.js';
import { ingestExamplePapers } from './example-store.js';
import { withFolder } from './folders.js';
import { linesOf } from './question-run.js';

const asked = 20;
const turns = 10;
const questions = 2000;
const answers = 10_000;

export const reportsBenchmark: Benchmark = {
  summary:
    '`report` of 2,000 questions × 10 turns, `score` of 10,000 answers; takes a minute and a half',
  run: (log) =>
    withFolder(async (home) => {
      const seconds = async (args: readonly string[]): Promise<number> => {
        const start = performance.now();
        await succeeded(turnwise(args, { TURNWISE_HOME: home }));
        return (performance.now() - start) / 1000;
      };
      await ingestExamplePapers(home, log);
      log(`${asked} questions of ${turns} turns`);
      const few = {
        home,
        run: 'asked',
        questions: asked,
        turns,
        inFlight: 'auto',
        model: {},
      } as const;
      await withRun(few, ({ command }) => succeeded(command()));
      log(`copying them to ${questions} questions`);
      const many = copyQuestions(home, questions / asked);
      const reportSeconds = await seconds(['report', 'many']);
      const reportMb = statSync(join(many, reportFile)).size / 1e6;
      const { predictions, gold } = writeAnswers(home);
      const scoreSeconds = await seconds(['score', '--predictions', predictions, '--gold', gold]);
      const ratios = [
        atMost(`seconds of \`report\` for ${questions} questions`, reportSeconds, 20),
        atMost('megabytes of the page', reportMb, 30),
        atMost(`seconds of \`score\` for ${answers} answers`, scoreSeconds, 10),
      ];
      const measured = { reportSeconds, reportMb, scoreSeconds };
      return ratioFindings(ratios, { questions, turns, answers, ...measured });
    }),
};

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

interface ExampleItem {
  readonly uuid: string;
  readonly evaluator: { readonly eval_kwargs: { readonly gold: unknown } };
}

/** Writes the example's golds, repeated, as both gold and predictions. */
function writeAnswers(home: string): { readonly predictions: string; readonly gold: string } {
  const examples = readFileSync(join(packageRoot, 'examples', 'questions.jsonl'), 'utf8')
    .trim()
    .split('\n')
    // The examples are a dataset: each line is such an object.
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
    writeFileSync(path, linesOf(lines));
    return path;
  };
  return { predictions: write('predictions.jsonl', predictions), gold: write('gold.jsonl', items) };
}
