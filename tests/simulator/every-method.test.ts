import { describe, expect, it } from 'vitest';
import {
  actionFormatNames,
  answerText,
  type ActionName,
} from '../../domain/agent/actions/action.js';
import { requestMessages, turnRequest } from '../../domain/agent/conversation.js';
import { methodNames, methodOf, methods } from '../../domain/agent/methods.js';
import type { QuestionMaterial } from '../../domain/agent/question-context.js';
import type { FinishedTurn } from '../../domain/agent/turn-record.js';
import { readTurn } from '../../domain/agent/read-turn.js';
import { asksModel, planTurn, turnLimit } from '../../domain/agent/turn-plan.js';
import { chatBody } from '../../domain/models/chat-message.js';
import { chatRequestSchema, requestKey } from '../../simulator/chat-request.js';
import { readConversation } from '../../simulator/conversation.js';
import { createDecider, wantedTurn } from '../../simulator/decide.js';
import { scriptSchema } from '../../simulator/script.js';
import { simulatorOptionsSchema } from '../../simulator/simulator-options.js';
import { finishedTurn, questionMaterial } from '../support/runs/question-material.js';

const script = scriptSchema.parse({
  questions: [
    {
      question: 'How many turns?',
      steps: [
        { thought: 'I search.', search: "a paper's turns < 21" },
        { thought: 'I query.', sql: "SELECT text FROM chunks WHERE text < 'x'\nLIMIT 1" },
      ],
      answer: { thought: 'It is said there.', value: ['{{#/(\\d+) turns/}}', "it's"] },
    },
  ],
});
const decider = createDecider(simulatorOptionsSchema.parse({}), script, 0);

/** The observation of every look-up. */
const row = '{"text":"It takes 20 turns."}\n\nIn total, 1 row is displayed in JSON format.';
const inScriptOrder: readonly ActionName[] = [
  'RetrieveFromVectorstore',
  'ClassicRetrieve',
  'RetrieveFromDatabase',
  'GenerateAnswer',
];
const filledAnswer = '[20, "it\'s"]';

/**
 * The methods without those of the graph, whose turns another program answers (the last test covers their judge), and
 * without those of databases, which have scripts of their own (database-replies.test.ts).
 */
const prompted = methodNames.filter((name) => !['graph', 'database'].includes(methods[name].kind));

const cases = prompted.flatMap((method) =>
  actionFormatNames.flatMap((actionFormat) =>
    [false, true].map((strict) => ({ method, actionFormat, strict })),
  ),
);

describe.each(cases)('$method in $actionFormat, strict: $strict', (settings) => {
  const method = methods[settings.method];
  const answers = !['trivial_question_only', 'text-to-sql'].includes(settings.method);
  const material = questionMaterial(
    settings,
    { answer_format: 'a list', anchor_pdf: ['p-1', 'p-2'] },
    { titles: {}, context: method.kind === 'single-shot' && answers ? row : null },
  );

  it('has a prompt from which the simulated model reads what to write', () => {
    for (let turn = 1; turn <= Math.min(2, turnLimit(method, 20)); turn++) {
      const { request, plan } = ask(material, turn, turn === 1 ? [] : [found(turn - 1)]);
      expect(wantedTurn(request, readConversation(request).prompt)).toEqual(
        // With tools, all protocols write the same.
        plan.kind === 'action' && plan.format === 'tools' ? { ...plan, protocol: 'react' } : plan,
      );
    }
  });

  it('gets a reply in each turn, with the actions that it offers, up to the answer', () => {
    const { answer, actions } = play(material);
    expect(answer).toEqual(answers ? filledAnswer : expect.stringContaining('found nothing for'));
    if (method.kind === 'iterative') {
      const { actions: offered } = method;
      expect(actions).toEqual(inScriptOrder.filter((action) => offered.includes(action)));
    }
  });
});

it('accepts the answer of a graph, unless its script has another reply', () => {
  const material = questionMaterial({ method: 'iterative_graph_rag' });
  const graph = finishedTurn(1, { kind: 'QueryGraph', query: 'q' }, 'It takes 20 turns.');
  const { request, plan } = ask(material, 2, [graph]);
  expect(wantedTurn(request, readConversation(request).prompt)).toEqual(plan);
  const said = (more: object): string | null => {
    const script = scriptSchema.parse({ questions: [], ...more });
    const judge = createDecider(simulatorOptionsSchema.parse({}), script, 0);
    const decision = judge.decide(request, requestKey(request), readConversation(request), 0);
    return decision.kind === 'answer' ? decision.message.content : decision.kind;
  };
  expect(said({})).toMatch(/```txt\nCOMPLETED\n```$/);
  expect(said({ prompts: [{ includes: 'How many turns?', reply: 'And words?' }] })).toBe(
    'And words?',
  );
});

const found = (turn: number): FinishedTurn =>
  finishedTurn(turn, { kind: 'RetrieveFromDatabase', sql: 'SELECT 1' }, row);

/** The request of a turn as the simulated model receives it, and the plan of its method. */
function ask(material: QuestionMaterial, turn: number, turns: readonly FinishedTurn[]) {
  const { config } = material.manifest;
  const messages = requestMessages(material, turn, turns.slice(-config.windowSize));
  const body = chatBody({
    ...turnRequest(config, turn, messages),
    baseUrl: 'http://127.0.0.1:1/v1',
  });
  const request = chatRequestSchema.parse(JSON.parse(JSON.stringify(body)));
  const plan = planTurn(methodOf(config), turn, config);
  if (!asksModel(plan)) throw new Error(`turn ${turn} asks no model`);
  return { request, plan };
}

function play(material: QuestionMaterial): {
  readonly answer: string;
  readonly actions: readonly string[];
} {
  const { config } = material.manifest;
  const turns: FinishedTurn[] = [];
  for (let turn = 1; turn <= turnLimit(methodOf(config), config.maxTurns); turn++) {
    const { request, plan } = ask(material, turn, turns);
    const decision = decider.decide(request, requestKey(request), readConversation(request), 0);
    if (decision.kind !== 'answer') throw new Error(`the simulated model says ${decision.kind}`);
    const { content, tool_calls: calls = [] } = decision.message;
    const toolCalls = calls.map(({ id, function: call }) => ({
      id,
      name: call.name,
      argumentsText: call.arguments,
    }));
    const reply = { content: content ?? '', toolCalls, finishReason: 'stop' } as const;
    const reading = readTurn(reply, plan, { material, turn, turns });
    if (reading.kind !== 'action') throw new Error(`no action: ${content}`);
    const { action } = reading;
    turns.push(finishedTurn(turn, action, row, { raw: reply.content, reading, toolCalls }));
    if (action.kind === 'GenerateAnswer') {
      const actions = turns.map(({ reply: { reading: read } }) =>
        read.kind === 'action' ? read.action.kind : read.kind,
      );
      return { answer: answerText(action), actions };
    }
  }
  throw new Error('the conversation ends without an answer');
}
