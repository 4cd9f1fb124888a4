import { describe, expect, it } from 'vitest';
import { anyValueOfJson, type Action } from '../../../domain/agent/actions/action.js';
import {
  conversation,
  openingMessages,
  replyText,
  requestMessages,
} from '../../../domain/agent/conversation.js';
import { methodNames, methods } from '../../../domain/agent/methods.js';
import { needsContext } from '../../../domain/agent/turn-plan.js';
import { contentText } from '../../../domain/models/chat-message.js';
import { finishedTurn, questionMaterial } from '../../support/runs/question-material.js';

const search: Action = { kind: 'ClassicRetrieve', query: 'turns', limit: anyValueOfJson(5) };
const answer: Action = { kind: 'GenerateAnswer', answer: anyValueOfJson('20') };
const item = { anchor_pdf: ['p-1'], conference: ['acl2023'], answer_format: 'a number' };

const texts = (messages: ReturnType<typeof requestMessages>): readonly string[] =>
  messages.map(({ content }) => contentText(content));

// Database methods have messages of their own (database-qa/).
const prompted = methodNames.filter(
  (name) => methods[name].kind !== 'graph' && methods[name].kind !== 'database',
);

describe.each(prompted)('what %s sends first', (name) => {
  const method = methods[name];
  const material = questionMaterial({ method: name }, item);
  const messages = openingMessages(material.manifest, material.item);
  const text = texts(messages).join('\n');

  it('has the roles of its kind and no place left open', () => {
    const iterative = method.kind === 'iterative';
    expect(messages.map(({ role }) => role)).toEqual(iterative ? ['system', 'user'] : ['user']);
    expect(text).not.toMatch(/\{\{|undefined/);
    expect(text).toContain('[Question]: How many turns?\n[Answer Format]: a number');
    expect(text).toContain('role' in method && method.role);
  });

  it('explains each label it uses, once', () => {
    const task = text.slice(text.lastIndexOf('\n[Question]: How many'));
    for (const [label] of task.matchAll(/^\[[A-Z][A-Za-z ]+\](?=: )/gm)) {
      expect(text.split('\n').filter((line) => line.startsWith(`${label}: `))).toHaveLength(2);
    }
  });

  it.each(['markdown', 'json', 'xml', 'yaml', 'tools'] as const)('is whole in %s', (format) => {
    const { manifest, item: asked } = questionMaterial(
      { method: name, actionFormat: format },
      item,
    );
    expect(texts(openingMessages(manifest, asked)).join('\n')).not.toMatch(/\{\{|undefined/);
  });
});

describe('an iterative method', () => {
  const turns = [
    finishedTurn(1, search, 'found\nit'),
    finishedTurn(2, search, 'again', { repeats: 1 }),
  ];

  it('tells the turns left and what repeats, under each observation, as it was first sent', () => {
    const material = questionMaterial({ maxTurns: 4 });
    const sent = texts(requestMessages(material, 3, turns)).slice(2);
    expect(sent).toEqual([
      "[Thought]: so\n[Action]:\nClassicRetrieve(query='turns', limit=5)",
      '[Observation]:\nfound\nit\n[Turns Left]: 3',
      "[Thought]: so\n[Action]:\nClassicRetrieve(query='turns', limit=5)",
      expect.stringMatching(/^\[Observation\]: again\n\[Note\]: .* turn 1.*\n\[Turns Left\]: 2$/),
    ]);
    expect(texts(conversation(material, turns))).toEqual(
      texts(requestMessages(material, 3, turns)),
    );
  });

  it('says which turn is the last', () => {
    const sent = texts(requestMessages(questionMaterial({ maxTurns: 3 }), 3, turns));
    expect(sent.at(-1)).toContain('must be GenerateAnswer');
    expect(texts(requestMessages(questionMaterial({ maxTurns: 1 }), 1, []))[1]).toContain(
      'must be GenerateAnswer',
    );
  });

  it('adds nothing strictly', () => {
    const sent = texts(requestMessages(questionMaterial({ maxTurns: 3, strict: true }), 3, turns));
    expect(sent.slice(3)).toEqual([
      '[Observation]:\nfound\nit',
      "[Thought]: so\n[Action]:\nClassicRetrieve(query='turns', limit=5)",
      '[Observation]: again',
    ]);
  });

  it('ends its trajectory with the answer as the observation', () => {
    const all = [finishedTurn(1, answer, '20')];
    expect(texts(conversation(questionMaterial(), all)).slice(2)).toEqual([
      "[Thought]: so\n[Action]:\nGenerateAnswer(answer='20')",
      '[Observation]: 20',
    ]);
  });

  it('shows a picture beside its observation', () => {
    const image = { mimeType: 'image/png', base64: 'AAAA' };
    const turn = { ...finishedTurn(1, search, 'The extracted image is shown below.'), image };
    const [, seen] = requestMessages(questionMaterial({ strict: true }), 2, [turn]).slice(2);
    expect(seen).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: '[Observation]: The extracted image is shown below.' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ],
    });
  });

  it('leaves out the oldest turns that do not fit, with the completion reserved', () => {
    const long = 'word '.repeat(1000);
    const many = [1, 2, 3].map((turn) => finishedTurn(turn, search, long));
    const opening = requestMessages(questionMaterial({ strict: true }), 1, []);
    const all = requestMessages(questionMaterial({ strict: true }), 4, many);
    expect(all).toHaveLength(opening.length + 6);
    const budget = (contextTokens: number, strict: boolean) =>
      requestMessages(questionMaterial({ contextTokens, strict }), 4, many).length - opening.length;
    expect([budget(1000, true), budget(1_000_000, true)]).toEqual([0, 6]);
    const enough = [3, 2, 1, 0].map((pairs) => pairs * 2);
    expect(enough).toContain(budget(8000, true));
    expect(budget(8000, false)).toBeLessThanOrEqual(budget(8000, true));
  });
});

describe('native tool calling', () => {
  const material = questionMaterial({ actionFormat: 'tools', maxTurns: 9 });
  const called = finishedTurn(1, search, 'found', {
    toolCalls: [{ id: 'call_7', name: 'ClassicRetrieve', argumentsText: '{"query":"turns"}' }],
  });

  it('repeats a call and gives its result under its id', () => {
    expect(requestMessages(material, 2, [called]).slice(2)).toEqual([
      {
        role: 'assistant',
        content: 'so',
        tool_calls: [
          {
            id: 'call_7',
            type: 'function',
            function: { name: 'ClassicRetrieve', arguments: '{"query": "turns", "limit": 5}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_7', content: 'found\n[Turns Left]: 8' },
    ]);
  });

  it('puts a picture behind the result, which holds text only', () => {
    const image = { mimeType: 'image/png', base64: 'AAAA' };
    const roles = requestMessages(material, 2, [{ ...called, image }]).map(({ role }) => role);
    expect(roles.slice(2)).toEqual(['assistant', 'tool', 'user']);
  });

  it('says in words what could not be read', () => {
    const unread = finishedTurn(1, search, '[Error]: no', {
      raw: '',
      reading: { kind: 'error', error: 'no' },
      toolCalls: [{ id: 'c', name: 'Search', argumentsText: '{' }],
    });
    expect(texts(requestMessages(material, 2, [unread]).slice(2))).toEqual([
      'Search {',
      '[Observation]: [Error]: no\n[Turns Left]: 8',
    ]);
  });

  it('says that a reply was cut off before anything was written', () => {
    const cut = finishedTurn(1, search, '[Error]: no', {
      raw: '',
      reading: { kind: 'error', error: 'no' },
    });
    const [said] = texts(requestMessages(material, 2, [cut]).slice(2));
    expect(said).toBe('(cut off)');
  });

  it('writes calls as JSON in the trajectory, whose lines have three roles', () => {
    const lines = conversation(material, [called]);
    expect(lines.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(contentText(lines[2]?.content ?? '')).toMatch(
      /^\[Thought\]: so\n\[Action\]:\n\{\n {4}"action_type"/,
    );
  });
});

describe('a single-shot method', () => {
  it('names no paper where it answers from knowledge alone', () => {
    const [message] = requestMessages(
      questionMaterial({ method: 'trivial_question_only' }, item),
      1,
      [],
    );
    expect(contentText(message?.content ?? '')).not.toMatch(/p-1|acl2023|\[Context\]/);
  });

  it('names papers by title and shows the context', () => {
    const questionContext = { titles: { 'p-1': "A Paper's Title" }, context: 'seen' };
    const [message] = requestMessages(
      questionMaterial({ method: 'classic_rag' }, item, questionContext),
      1,
      [],
    );
    expect(contentText(message?.content ?? '')).toContain(
      `[Anchor PDF]: "A Paper's Title"\n[Conference]: acl2023\n[Context]: seen\n`,
    );
  });

  it('keeps in its trajectory the reasoning, or strictly what was extracted', () => {
    const turn = finishedTurn(1, answer, '20');
    const last = (strict: boolean) =>
      texts(conversation(questionMaterial({ method: 'trivial_question_only', strict }), [turn]))[1];
    expect([last(false), last(true)]).toEqual(['raw reply 1', '20']);
  });
});

describe('a two-stage method', () => {
  const questionContext = { titles: { 'p-1': 'Title' }, context: null };
  const sql: Action = { kind: 'RetrieveFromDatabase', sql: 'SELECT 1' };
  const material = questionMaterial(
    { method: 'two_stage_sym_rag', windowSize: 0 },
    item,
    questionContext,
  );

  it('answers in a conversation of its own, from what the first stage brought', () => {
    const first = texts(requestMessages(material, 1, []))[0];
    expect(first).toContain("[Anchor PDF]: 'p-1'");
    expect(first).toContain('[Database Schema]: ');
    const second = requestMessages(material, 2, [finishedTurn(1, sql, '[Error]: no table')]);
    expect(second).toHaveLength(1);
    expect(texts(second)[0]).toContain("[Anchor PDF]: 'Title'");
    expect(texts(second)[0]).toContain('[Context]: [Error]: no table');
    expect(texts(second)[0]).not.toContain('[Database Schema]');
  });

  it('has four messages in its trajectory: the SQL as it was written, an action rebuilt', () => {
    const turns = [finishedTurn(1, sql, 'rows'), finishedTurn(2, answer, '20')];
    const roles = conversation(material, turns).map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(texts(conversation(material, turns))[1]).toBe('raw reply 1');
    const hybrid = questionMaterial(
      { method: 'two_stage_hybrid_rag', strict: true },
      item,
      questionContext,
    );
    expect(texts(conversation(hybrid, turns))[1]).toBe(
      '[Thought]: so\n[Action]:\n```json\n{\n    "action_type": "RetrieveFromDatabase",\n    "parameters": {\n        "sql": "SELECT 1"\n    }\n}\n```',
    );
    expect(texts(conversation(hybrid, turns))[3]).toBe('20');
  });
});

it('methods that show a context or titles need a question context', () => {
  expect(methodNames.filter((name) => needsContext(methods[name]))).toEqual([
    'two_stage_hybrid_rag',
    'two_stage_sym_rag',
    'two_stage_neu_rag',
    'two_stage_graph_rag',
    'classic_rag',
    'trivial_full_text_with_cutoff',
    'trivial_title_with_abstract',
    'no-interaction',
  ]);
});

it('a turn in words follows what its turn asked for', () => {
  const { config } = questionMaterial({
    method: 'iterative_sym_rag',
    actionFormat: 'yaml',
  }).manifest;
  const { reply } = finishedTurn(1, { kind: 'CalculateExpr', expr: '1+1' }, '2');
  expect(replyText(config, reply)).toBe(
    '[Thought]: so\n[Action]:\naction_type: CalculateExpr\nparameters:\n  expr: 1+1',
  );
});
