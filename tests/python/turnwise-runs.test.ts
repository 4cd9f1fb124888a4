import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { checkout } from '../support/command-line.js';
import { pythonWith } from './python.js';
import { recordedEndings, recordedRun } from '../support/runs/recorded-run.js';
import type { RunInFolder } from '../support/runs/run-in-folder.js';

let python: string;
let recorded: RunInFolder;
beforeAll(async () => {
  python = await pythonWith('pandas==2.3.3');
  recorded = await recordedRun();
});

/** What an expression over `run` gives, as JSON. */
function frame(expression: string): unknown {
  const program = `import json, sys, pandas, turnwise_runs
run = turnwise_runs.open_run(sys.argv[1], sys.argv[2])
value = ${expression}
print(value.to_json(orient="records", date_format="iso") if isinstance(value, pandas.DataFrame) else json.dumps(value))`;
  const { manifest, home } = recorded;
  const text = execFileSync(python, ['-c', program, manifest.run, home], {
    env: { ...process.env, PYTHONPATH: join(checkout, 'python') },
    encoding: 'utf8',
  });
  return JSON.parse(text);
}

const ended = recordedEndings.flatMap(({ end, turns }) => (end ? [{ end, turns }] : []));
const isoDate = (text: string): string => new Date(text).toISOString();

it('reads results', () => {
  expect(frame('run.results')).toEqual(
    ended.map(({ end: { result } }) => ({
      uuid: result.uuid,
      epoch: result.epoch,
      answer: result.answer,
      outcome: result.outcome.kind,
      failure: result.outcome.kind === 'infra-error' ? result.outcome.failure : null,
      turns: result.turns,
      calls: result.usage.calls,
      prompt_tokens: result.usage.promptTokens,
      completion_tokens: result.usage.completionTokens,
      cost_usd: result.costUsd,
      model: result.model,
      started_at: isoDate(result.startedAt),
      ended_at: isoDate(result.endedAt),
      seconds: (Date.parse(result.endedAt) - Date.parse(result.startedAt)) / 1000,
    })),
  );
});

it('reads scores: what is unscored is no number', () => {
  const scores = frame('run.scores') as readonly { readonly score: number | null }[];
  expect(scores).toMatchObject(
    ended.map(({ end: { score } }) => ({
      uuid: score.uuid,
      epoch: score.epoch,
      score: score.score,
      scorer: score.scorer,
      unscored_reason: score.verdict.kind === 'unscored' ? score.verdict.reason : null,
    })),
  );
  const numbers = scores.flatMap(({ score }) => score ?? []);
  const mean = numbers.reduce((sum, score) => sum + score, 0) / numbers.length;
  expect(frame('[run.scores.score.mean(), int(run.scores.score.isna().sum())]')).toEqual([
    expect.closeTo(mean, 10),
    scores.length - numbers.length,
  ]);
});

it('reads turns, packed or not', () => {
  const turns = frame('run.turns') as readonly Record<string, unknown>[];
  const expected = ended.flatMap(({ end, turns: stored }) =>
    stored.map(({ reply, observation }) => ({
      uuid: end.result.uuid,
      epoch: end.result.epoch,
      turn: reply.turn,
      action: reply.reading.kind === 'action' ? reply.reading.action.kind : null,
      error: reply.reading.kind === 'error' ? reply.reading.error : null,
      observation: observation?.content ?? null,
      reply: reply.raw,
      cost_usd: reply.costUsd,
      prompt_tokens: reply.tokens?.prompt ?? null,
    })),
  );
  expect(turns).toMatchObject(expected);
  expect(turns).toHaveLength(expected.length);
  const answers = frame('list(run.turns.query("action == \'GenerateAnswer\'").arguments)');
  expect(answers).toContainEqual({ answer: '21' });
});

it('joins results with scores and questions', () => {
  expect(frame('run.answers[["uuid", "question", "outcome", "score"]]')).toHaveLength(ended.length);
  expect(frame('run.answers.question.isna().any().item()')).toBe(false);
});

it('leaves out a line that is still written, and reads no file of a run that has just begun', () => {
  appendFileSync(join(recorded.folder, 'results.jsonl'), '{"uuid": "half');
  expect(frame('run.results')).toHaveLength(ended.length);
  expect(frame('turnwise_runs.Run("/nowhere").results')).toEqual([]);
  expect(frame('turnwise_runs.Run("/nowhere").turns')).toEqual([]);
});

it('lists runs, and says which is not there', () => {
  const { manifest } = recorded;
  expect(frame('turnwise_runs.list_runs(sys.argv[2])')).toMatchObject([
    { run: manifest.run, status: manifest.status, method: manifest.config.method, epochs: 2 },
  ]);
  expect(frame('turnwise_runs.list_runs("/nowhere")')).toEqual([]);
  expect(() => frame('turnwise_runs.open_run("absent")')).toThrow(/there is no run absent/);
});
