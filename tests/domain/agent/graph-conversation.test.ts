import { describe, expect, it } from 'vitest';
import { type MethodName, methodOf } from '../../../domain/agent/methods.js';
import { planTurn, type TurnPlan } from '../../../domain/agent/turn-plan.js';
import { conversation, requestMessages } from '../../../domain/agent/conversation.js';
import type { FinishedTurn } from '../../../domain/agent/turn-record.js';
import { contentText } from '../../../domain/models/chat-message.js';
import { fixedTurn, readTurn, type TurnMaterial } from '../../../domain/agent/read-turn.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import { finishedTurn, questionMaterial } from '../../support/runs/question-material.js';

const item = { anchor_pdf: ['p-1'], conference: ['acl2023'], answer_format: 'a number' };
const fence = (text: string): string => `\`\`\`txt\n${text}\n\`\`\``;

/** A question of a graph method, before `turn`. */
function before(
  method: MethodName,
  turns: readonly FinishedTurn[],
  config: Partial<RunConfig> = {},
): TurnMaterial {
  const questionContext = { titles: { 'p-1': 'A Title' }, context: null };
  const material = questionMaterial({ method, ...config }, item, questionContext);
  return { material, turns, turn: turns.length + 1 };
}

const planOf = ({ material: { manifest }, turn }: TurnMaterial): TurnPlan =>
  planTurn(methodOf(manifest.config), turn, manifest.config);

/** What is done in a turn: the query or the answer, or why neither. */
function done(question: TurnMaterial, reply?: string): string {
  const plan = planOf(question);
  const reading =
    plan.kind === 'graph-query' || plan.kind === 'graph-answer'
      ? fixedTurn(plan, question)
      : readTurn({ content: reply ?? '', finishReason: 'stop' }, plan, question);
  if (reading.kind === 'error') return `! ${reading.error}`;
  if (reading.kind === 'step') throw new Error('a graph method has no steps');
  const { action } = reading;
  if (action.kind === 'QueryGraph') return `? ${action.query.split('\n')[0] ?? ''}`;
  return action.kind === 'GenerateAnswer' && action.answer.kind === 'text'
    ? action.answer.text
    : `unexpected ${action.kind}`;
}

const asked = (turn: number, query: string, answer: string, raw?: string): FinishedTurn =>
  finishedTurn(
    turn,
    { kind: 'QueryGraph', query },
    answer,
    raw === undefined ? { raw: '', model: null } : { raw },
  );

const first = asked(1, 'the task', `I think\n${fence('20')}`);
const second = asked(2, 'the other task', `now\n${fence('21')}`, `No.\n${fence('Other?')}`);

describe('a graph whose answer stands', () => {
  it('is asked for the task by titles, and to mark its answer', () => {
    const question = before('two_stage_graph_rag', []);
    const [message, ...others] = requestMessages(question.material, 1, []);
    expect(others).toEqual([]);
    expect(contentText(message?.content ?? '')).toMatch(
      /^\[Question\]: How many turns\?\n\[Answer Format\]: a number\n\[Anchor PDF\]: 'A Title'\n\[Conference\]: acl2023\n\n.*code fence.*```\.$/s,
    );
    expect(done(question)).toBe('? [Question]: How many turns?');
  });

  it('has the last fence of what it said for its answer', () => {
    expect(done(before('two_stage_graph_rag', [first]))).toBe('20');
    expect(done(before('two_stage_graph_rag', [asked(1, 'q', 'just 20')]))).toBe('just 20');
  });

  it('has a trajectory of query and answer', () => {
    const { material } = before('two_stage_graph_rag', []);
    const end = finishedTurn(
      2,
      { kind: 'GenerateAnswer', answer: { kind: 'text', text: '20' } },
      '20',
      { raw: '', model: null },
    );
    expect(conversation(material, [first, end])).toEqual([
      { role: 'user', content: 'the task' },
      { role: 'assistant', content: `I think\n${fence('20')}` },
    ]);
  });
});

describe('a graph that is judged', () => {
  it('is asked by ids first, without a model', () => {
    const question = before('iterative_graph_rag', []);
    expect(planOf(question)).toEqual({ kind: 'graph-query' });
    expect(contentText(requestMessages(question.material, 1, [])[0]?.content ?? '')).toContain(
      "[Anchor PDF]: 'p-1'",
    );
  });

  it.each<[string, string, string, string]>([
    ['accepts', fence('COMPLETED'), '21', '21'],
    ['accepts without a fence', 'COMPLETED', '21', '21'],
    ['accepts in its own way', '**completed.**', '21', '? [Question]: **completed.**'],
    ['asks', `why\n${fence('How many at most?')}`, '? [Question]: How many at most?', ''],
    ['asks without a fence', 'How many at most?', '? [Question]: How many at most?', ''],
    [
      'says nothing',
      fence(' '),
      '! Failed to parse a valid judgement from the response. It is empty.',
      '',
    ],
  ])('goes on as the judge %s', (_, reply, tolerantly, strictly) => {
    const turns = [first, second];
    expect(done(before('iterative_graph_rag', turns), reply)).toBe(tolerantly);
    expect(done(before('iterative_graph_rag', turns, { strict: true }), reply)).toBe(
      strictly || tolerantly,
    );
  });

  it.each([
    [fence('COMPLETED'), '21'],
    [fence('One more?'), '20'],
    ['', '20'],
  ])('comes to its end in the last turn, whatever the judge says: %j', (reply, answer) => {
    expect(done(before('iterative_graph_rag', [first, second], { maxTurns: 2 }), reply)).toBe(
      answer,
    );
  });

  it('tells the judge the task and the queries of the window, each label explained once', () => {
    const { material } = before('iterative_graph_rag', [], { windowSize: 1 });
    const sent = (turns: readonly FinishedTurn[]) =>
      contentText(requestMessages(material, turns.length + 1, turns)[0]?.content ?? '');
    expect(sent([first])).toContain(
      `[Conference]: acl2023\n[Query]: How many turns?\n[Answer]: I think\n${fence('20')}\n\n`,
    );
    expect(sent([first, second])).toContain(
      `[Conference]: acl2023\n[Query]: Other?\n[Answer]: now\n${fence('21')}\n\n`,
    );
    const lines = sent([first, second]).split('\n');
    for (const label of [
      'Question',
      'Answer Format',
      'Anchor PDF',
      'Conference',
      'Query',
      'Answer',
    ]) {
      expect(lines.filter((line) => line.startsWith(`[${label}]: `))).toHaveLength(2);
    }
    expect(sent([first])).not.toMatch(/\{\{|undefined/);
  });

  it('has a trajectory of queries and judgements', () => {
    const { material } = before('iterative_graph_rag', []);
    const end = finishedTurn(
      3,
      { kind: 'GenerateAnswer', answer: { kind: 'text', text: '21' } },
      '21',
      { raw: fence('COMPLETED') },
    );
    const lines = conversation(material, [first, second, end]);
    expect(lines.map(({ role, content }) => [role, contentText(content).split('\n')[0]])).toEqual([
      ['user', 'the task'],
      ['assistant', 'I think'],
      ['user', expect.stringMatching(/^You judge/)],
      ['assistant', 'No.'],
      ['user', 'the other task'],
      ['assistant', 'now'],
      ['user', expect.stringMatching(/^You judge/)],
      ['assistant', '```txt'],
    ]);
  });
});
