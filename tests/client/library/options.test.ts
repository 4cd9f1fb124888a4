import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { registerRun } from '../../../client/commands/run.js';
import { evaluate, TurnwiseError, type EvaluateOptions } from '../../../client/library/index.js';
import { runManifestSchema } from '../../../domain/runs/run-manifest.js';
import { inEmptyFolder, refusalOf } from '../../support/commands/refused-command.js';

inEmptyFolder();

/** The command line says the same, behind `error: ` where its parser refuses. */
describe('an option is refused as by the command line:', () => {
  it.each<[string, Omit<EvaluateOptions, 'questions'>, readonly string[]]>([
    ['a number out of range', { maxTurns: 0 }, ['--max-turns=0']],
    ['a part of a whole number', { epochs: 1.5 }, ['--epochs=1.5']],
    ['no number', { temperature: Number.NaN }, ['--temperature=NaN']],
    ['a limit below zero', { budgetUsd: -1 }, ['--budget-usd=-1']],
    ['questions in flight', { concurrency: 0 }, ['--concurrency=0']],
    ['a moment that is past', { deadline: '2020-01-01' }, ['--deadline=2020-01-01']],
    ['a run', { run: 'a/b' }, ['--run=a/b']],
    ['a method', { method: 'nothing' }, ['--method=nothing']],
    ['a scorer of no plugin', { scorer: 'mine' }, ['--scorer=mine']],
    ['two scorers', { scorer: 'a', scorerProgram: 'b' }, ['--scorer=a', '--scorer-program=b']],
    ['a judge twice', { judgeModel: ['a', 'a'] }, ['--judge-model=a', '--judge-model=a']],
    ['judges of two minds', { judgeModel: ['a', 'b'] }, ['--judge-model=a', '--judge-model=b']],
    ['what no judge reads', { judgeEmpty: true }, ['--judge-empty']],
    ['tries of no judge', { judgeTries: 3 }, ['--judge-tries=3']],
    ['an API of no judge', { judgeApi: 'chat' }, ['--judge-api=chat']],
    ['a seed of no sample', { seed: 1 }, ['--seed=1']],
    ['two parts', { limit: 1, sample: 1 }, ['--limit=1', '--sample=1']],
    ['a model that is not asked', { replay: 'a', model: 'b' }, ['--replay=a', '--model=b']],
    ['a run that is not there', { replay: 'a' }, ['--replay=a']],
    ['a price that nobody knows', { model: 'x', budgetUsd: 1 }, ['--model=x', '--budget-usd=1']],
    ['a file of prompts', { prompts: 'absent.yaml' }, ['--prompts=absent.yaml']],
    ['a plugin', { plugin: ['absent.ts'] }, ['--plugin=absent.ts']],
  ])('%s', async (_what, options, words) => {
    const refusal = await refusalOf(registerRun, ['run', 'plain.jsonl', '--yes', ...words]);
    await expect(evaluate({ questions: 'plain.jsonl', ...options })).rejects.toThrow(
      new TurnwiseError(refusal.replace(/^error: /, '')),
    );
  });

  it.each([
    [{ maxTurn: 1 }, "unknown option '--max-turn' (did you mean --max-turns?)"],
    [{ judges: 'sum' }, /option '--judges <how>' argument 'sum' is invalid\. Allowed choices are/],
    [{ maxTurns: false }, /option '--max-turns <n>' argument 'false' is invalid/],
    [{ maxTurns: true }, "option '--max-turns <n>' argument missing"],
    [{ dryRun: true }, "unknown option '--dry-run'"],
    [{ budgetUsd: null }, /option '--budget-usd <n>' argument 'null' is invalid/],
  ])('%j', async (options, sentence) => {
    const given = { questions: 'plain.jsonl', ...options } as EvaluateOptions;
    await expect(evaluate(given)).rejects.toThrow(sentence);
  });
});

it('every option reaches the run, as from the command line', async () => {
  writeFileSync('turnwise.yaml', 'models: { m: { stream: true } }\n');
  const options: EvaluateOptions = {
    questions: [
      { uuid: 'a', question: 'Why?' },
      { uuid: 'b', question: 'Who?' },
    ],
    ...{ run: 'all', method: 'trivial_question_only', model: 'm', stream: false, limit: 1 },
    ...{ judgeModel: ['x', 'y'], judges: 'mean', judgeTries: 3, judgeApi: 'responses' },
    ...{ epochs: 2, concurrency: 7, budgetTokens: 1000, questionTimeLimit: 1.5, onFailure: 'wait' },
    // Nobody is there: the run is written before that is seen.
    settings: { TEMPORAL_ADDRESS: '127.0.0.1:9', OPENAI_BASE_URL: 'http://127.0.0.1:9/other' },
  };
  await expect(evaluate(options)).rejects.toThrow('127.0.0.1:9');
  const manifest = runManifestSchema.parse(
    JSON.parse(readFileSync('home/runs/all/manifest.json', 'utf8')),
  );
  expect(manifest).toMatchObject({ part: { kind: 'first', count: 1 } });
  expect(manifest.command).toBeUndefined();
  expect(manifest.config).toMatchObject({
    ...{ method: 'trivial_question_only', epochs: 2, concurrency: 7 },
    model: { name: 'm', stream: false, baseUrl: 'http://127.0.0.1:9/other' },
    judging: {
      models: [
        { name: 'x', api: 'responses' },
        { name: 'y', api: 'responses' },
      ],
      combination: 'mean',
      tries: 3,
    },
    budget: { usd: null, tokens: 1000 },
    ...{ questionTimeLimitMs: 1500, onFailure: 'wait' },
  });
});
