import { rmSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { createEndQuestion } from '../../../activities/questions/end-question.js';
import { createExecuteAnswer } from '../../../activities/questions/execute-answer.js';
import { createTakeAction } from '../../../activities/questions/take-action.js';
import { ownFailure, type Plugin, type OwnOutcome } from '../../../domain/agent/plugin.js';
import { definitionsIn } from '../../../domain/agent/plugin-exports.js';
import { pluginFile } from '../../../domain/runs/run-manifest.js';
import { fakeTools } from '../../support/fakes/fake-tools.js';
import { FakeQuestions } from '../../support/fakes/fake-questions.js';
import { noDatabases } from '../../support/fakes/no-databases.js';
import { runActivity } from '../../support/run-activity.js';
import { exampleReply } from '../../support/runs/example-records.js';
import { questionInFolder } from '../../support/runs/question-in-folder.js';

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

const definition = {
  name: 'LookUp',
  description: 'Look up.',
  parameters: { term: { type: 'string', description: 'A term.' } },
};
const plugin: Plugin = {
  path: 'mine.ts',
  sha256: 'abc',
  ...definitionsIn(
    [
      { kind: 'action', definition },
      { kind: 'scorer', definition: { name: 'mine' } },
      {
        kind: 'method',
        definition: { name: 'm', role: 'r', actions: ['LookUp'], about: 'tables' },
      },
    ],
    () => false,
  ),
};
const clock = { now: () => '2026-11-21T08:00:00.000Z' };

/** A question of a run without a store, by a method of a plugin. */
function asked(evaluator: { eval_func: string; eval_kwargs: Record<string, string> } | undefined) {
  const question = questionInFolder(evaluator && { evaluator }, (manifest) => ({
    ...manifest,
    store: null,
    config: { ...manifest.config, method: 'm', plugins: [plugin] },
  }));
  homes.push(question.home);
  return question;
}

const lookUp = (value: { kind: 'text'; text: string } | { kind: 'literal'; source: string }) =>
  ({ kind: 'PluginAction', name: 'LookUp', fields: [{ name: 'term', value }] }) as const;

it('carries out an action of a plugin with the code that the run has stored, once', async () => {
  const { ref, runFiles } = asked(undefined);
  await runFiles.saveText(ref.run, pluginFile('abc'), 'the code');
  await runFiles.saveReply(ref.run, ref, exampleReply(1, lookUp({ kind: 'text', text: 'epoch' })));
  const tools = fakeTools({ own: [{ kind: 'returned', value: 'one asking' }] });
  const takeAction = createTakeAction({ ...tools, runFiles, clock });
  const turn = { ...ref, turn: 1 };
  expect(await runActivity(takeAction, turn)).toEqual({ preview: 'one asking' });
  // As after a crash of the worker: what is stored stands.
  expect(await runActivity(takeAction, turn)).toEqual({ preview: 'one asking' });
  expect(tools.asked).toMatchObject([
    {
      tool: 'callPlugin',
      request: {
        plugin: { path: 'mine.ts', sha256: 'abc' },
        what: 'action',
        name: 'LookUp',
        input: { term: 'epoch' },
        context: {
          uuid: 'q1',
          epoch: 1,
          turn: 1,
          store: null,
          item: { question: 'How many turns?' },
        },
        timeoutMs: 60_000,
      },
    },
  ]);
  const { code } = tools.asked[0]?.request as { readonly code: () => Promise<string> };
  expect(await code()).toBe('the code');
  expect((await runFiles.observation(ref.run, ref, 1))?.facts).toMatchObject({
    tool: 'plugin',
    outcome: { kind: 'found' },
  });
});

it('shows the model what an action has thrown, and an argument that it cannot have', async () => {
  const { ref, runFiles } = asked(undefined);
  await runFiles.saveReply(ref.run, ref, exampleReply(1, lookUp({ kind: 'text', text: 'epoch' })));
  await runFiles.saveReply(ref.run, ref, exampleReply(2, lookUp({ kind: 'literal', source: '3' })));
  const tools = fakeTools({ own: [ownFailure('threw', 'mine.ts:3: no entry')] });
  const takeAction = createTakeAction({ ...tools, runFiles, clock });
  for (const turn of [1, 2]) await runActivity(takeAction, { ...ref, turn });
  expect((await runFiles.observation(ref.run, ref, 1))?.content).toBe(
    '[Error]: mine.ts:3: no entry.',
  );
  expect((await runFiles.observation(ref.run, ref, 2))?.content).toBe(
    '[Error]: The parameter term must be a text, not 3.',
  );
});

const answer = { kind: 'GenerateAnswer', answer: { kind: 'text', text: '20' } } as const;

it.each<[string, OwnOutcome, object]>([
  [
    'a score',
    { kind: 'returned', value: { score: 0.5, reason: 'half' } },
    { score: 0.5, verdict: { kind: 'scored', rationale: 'half' } },
  ],
  [
    'an error, which is no 0',
    ownFailure('threw', 'mine.ts:3: no gold'),
    {
      score: null,
      verdict: { kind: 'unscored', reason: 'scorer-failed', message: 'mine.ts:3: no gold' },
    },
  ],
])('stores what a scorer of the user gives, and ends with it: %s', async (_, outcome, score) => {
  for (const [evaluator, tool] of [
    [{ eval_func: 'mine', eval_kwargs: { gold: '20' } }, 'callPlugin'],
    [{ eval_func: 'eval_program', eval_kwargs: { program: './mine', gold: '20' } }, 'callProgram'],
  ] as const) {
    const { ref, runFiles } = asked(evaluator);
    await runFiles.saveReply(ref.run, ref, exampleReply(1, answer));
    const tools = fakeTools({ own: [outcome] });
    const executeAnswer = createExecuteAnswer({ ...tools, runFiles });
    await runActivity(executeAnswer, ref);
    await runActivity(executeAnswer, ref);
    expect(tools.asked).toMatchObject([
      {
        tool,
        request: { input: { uuid: 'q1', answer: '20', gold: '20', options: { gold: '20' } } },
      },
    ]);
    const endQuestion = createEndQuestion({
      runFiles,
      databases: noDatabases,
      questions: new FakeQuestions(),
      clock,
    });
    await runActivity(endQuestion, {
      ...ref,
      outcome: { kind: 'answered' },
      startedAt: clock.now(),
    });
    expect((await runFiles.end(ref.run, ref))?.score).toMatchObject(score);
  }
});

it('leaves an answer unscored whose scorer could not be asked', async () => {
  const { ref, runFiles } = asked({ eval_func: 'mine', eval_kwargs: {} });
  await runFiles.saveReply(ref.run, ref, exampleReply(1, answer));
  const endQuestion = createEndQuestion({
    runFiles,
    databases: noDatabases,
    questions: new FakeQuestions(),
    clock,
  });
  await runActivity(endQuestion, {
    ...ref,
    outcome: { kind: 'answered' },
    startedAt: clock.now(),
    executionFailure: 'the thread ended',
  });
  expect((await runFiles.end(ref.run, ref))?.score).toMatchObject({
    score: null,
    scorer: 'mine',
    verdict: { reason: 'scorer-failed', message: 'the thread ended' },
  });
});
