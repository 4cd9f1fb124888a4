import { expect, it } from 'vitest';
import { FakeQuestions } from '../../support/fakes/fake-questions.js';
import { noDatabases } from '../../support/fakes/no-databases.js';
import { createAskModel } from '../../../activities/questions/ask-model.js';
import { createEndQuestion } from '../../../activities/questions/end-question.js';
import type { GraphAnswer } from '../../../activities/ports/tools.js';
import { createTakeAction } from '../../../activities/questions/take-action.js';
import type { MethodName } from '../../../domain/agent/methods.js';
import type { Result } from '../../../domain/agent/question-result.js';
import { FakeModel } from '../../support/fakes/fake-model.js';
import { fakeTools } from '../../support/fakes/fake-tools.js';
import { questionInFolder } from '../../support/runs/question-in-folder.js';
import { runActivity } from '../../support/run-activity.js';

const now = '2026-01-01T00:00:00.000Z';
const clock = { now: () => now };

/** A question to its end, with every activity carried out twice, as after a crash. */
async function answered(
  method: MethodName,
  graph: readonly GraphAnswer[],
  ...replies: string[]
): Promise<Result> {
  const { runFiles, ref } = questionInFolder({}, (manifest) => ({
    ...manifest,
    config: { ...manifest.config, method },
  }));
  await runFiles.saveQuestionContext(ref.run, ref, {
    titles: {},
    context: null,
    startedAt: now,
    endedAt: now,
  });
  const ports = {
    ...fakeTools({ graph }),
    model: new FakeModel(...replies),

    runFiles,
    clock,
    databases: noDatabases,
  };
  const askModel = createAskModel(ports);
  const takeAction = createTakeAction(ports);
  for (let turn = 1; ; turn += 1) {
    const said = await runActivity(askModel, { ...ref, turn });
    expect(await runActivity(askModel, { ...ref, turn })).toEqual(said);
    if (said.kind === 'action' && said.action === 'GenerateAnswer') break;
    await runActivity(takeAction, { ...ref, turn });
    await runActivity(takeAction, { ...ref, turn });
  }
  const finish = createEndQuestion({
    runFiles,
    databases: noDatabases,
    questions: new FakeQuestions(),
    clock,
  });
  await runActivity(finish, { ...ref, startedAt: now, outcome: { kind: 'answered' } });
  const end = await runFiles.end(ref.run, ref);
  if (!end) throw new Error('the question has no end');
  return end.result;
}

const fence = (text: string): string => `\`\`\`txt\n${text}\n\`\`\``;

it('a graph answers alone: no model is asked or named, and its cost is the cost', async () => {
  const told = await answered('two_stage_graph_rag', [{ answer: fence('20'), costUsd: 0.5 }]);
  expect(told).toMatchObject({ answer: '20', turns: 2, model: null, costUsd: 0.5 });
  expect(told.usage).toMatchObject({ calls: 1, promptTokens: 0 });
});

it('what a graph does not say of its cost is not known', async () => {
  const told = await answered('two_stage_graph_rag', [{ answer: '20', costUsd: null }]);
  expect(told).toMatchObject({ answer: '20', costUsd: null, usage: { calls: 1 } });
});

it('a graph is asked until the judge is content', async () => {
  const told = await answered(
    'iterative_graph_rag',
    [
      { answer: fence('about 20'), costUsd: 0.5 },
      { answer: fence('20'), costUsd: 0.5 },
    ],
    `Not a number.\n${fence('How many exactly?')}`,
    fence('COMPLETED'),
  );
  expect(told).toMatchObject({ answer: '20', turns: 3, model: 'fake-model' });
  expect(told.usage).toMatchObject({ calls: 4 });
});
