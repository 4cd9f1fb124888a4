import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../simulator/chat-request.js';
import { replyMessage } from '../../simulator/completion.js';
import { readConversation } from '../../simulator/conversation.js';
import { wantedTurn } from '../../simulator/decide.js';
import { createReplies, generatedAnswer } from '../../simulator/next-reply.js';
import { scriptSchema } from '../../simulator/script.js';

const known = { thought: 'Known.', value: 'x' };
const script = scriptSchema.parse({
  questions: [
    {
      question: 'How many turns?',
      steps: [
        { thought: 'Look first.', sql: 'SELECT 1' },
        { thought: 'Read\non.', sql: "SELECT '{{0.turns}}'" },
      ],
      answer: { thought: 'Found\nit.', value: { turns: '{{0.turns}}' } },
    },
    {
      question: 'Where?',
      steps: [
        { thought: 'Look.', search: 'the place', sql: "SELECT 'place'" },
        { thought: 'Try that.', action: 'AskTheAuthors(' },
        { thought: 'Look again.', sql: "SELECT '{{0.pdf_id}}'" },
      ],
      answer: { thought: 'There.', value: 'there' },
    },
    { question: 'Only by search?', steps: [{ thought: 'So.', search: 's' }], answer: known },
    { question: 'Only by SQL?', steps: [{ thought: 'So.', sql: 'SELECT 2' }], answer: known },
    { question: 'At once?', answer: known },
  ],
  prompts: [{ includes: 'Judge this', reply: 'correct' }],
  generated: { turns: 3 },
});
const replies = createReplies(script);

const task = (question: string): string =>
  `[Question]: ${question}\n[Answer Format]: a number\n[Anchor PDF]: 'x'`;

const specified = (...actions: readonly string[]): string =>
  actions.map((action) => `### Action Type\n${action}\n`).join('\n');

/** The reply to these messages: a system message, the user's, then turns and observations alternately. */
function saySpecified(system: string, user: string, ...later: string[]): string | undefined {
  const request = chatRequestSchema.parse({
    model: 'm',
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
      ...later.map((content, at) => ({ role: at % 2 ? 'user' : 'assistant', content })),
    ],
  });
  const conversation = readConversation(request);
  const plan = wantedTurn(request, conversation.prompt);
  const said = replies(conversation, plan);
  return said && (replyMessage(said, plan, 'key').content ?? '');
}

const say = (user: string, ...later: string[]): string | undefined =>
  saySpecified('You see [Question]: and more.', user, ...later);

const first = "[Thought]: Look first.\n[Action]:\nRetrieveFromDatabase(sql='SELECT 1')";
const second = `[Thought]: Read\non.\n[Action]:\nRetrieveFromDatabase(sql="SELECT '20'")`;
const found = '[Observation]:\n{"turns":20}\n\nIn total, 1 row is displayed in JSON format.';
const answered = "[Thought]: Found\nit.\n[Action]:\nGenerateAnswer(answer={'turns': 20})";

describe('a scripted question', () => {
  it('begins with the first step', () => {
    expect(say(task('How many turns?'))).toBe(first);
  });

  it('continues after the thought of the last turn, with the observed values', () => {
    expect(say(task('How many turns?'), first, found)).toBe(second);
    expect(say(task('How many turns?'), first, found, second, found)).toBe(answered);
  });

  it('ignores changed white space, and a window that omits the first turns', () => {
    const said = second.replace('Read\non.', 'Read on. ');
    expect(say(task('How  many\nturns?'), said, found)).toBe(answered);
  });

  it('continues by the number of turns if they keep no thought', () => {
    const bare = '<action><action_type>RetrieveFromDatabase</action_type></action>';
    expect(say(task('How many turns?'), bare, found)).toBe(second);
    expect(say(task('How many turns?'), bare, found, bare, found, bare, found)).toBe(answered);
  });

  it('gives a wrong answer that names the placeholder if a placeholder matches nothing', () => {
    expect(say(task('How many turns?'), first, '[Observation]: [Warning]: empty')).toBe(
      "[Thought]: Read\non.\n[Action]:\nGenerateAnswer(answer='The simulated model found nothing for {{0.turns}} in its observations.')",
    );
  });

  it('is found after an explanation of the labels in the same message', () => {
    const explained = `[Question]: what to answer\n[Answer Format]: how\n--------\n${task('How many turns?')}`;
    expect(say(explained)).toBe(first);
  });

  it('sends a verbatim action unchanged', () => {
    const looked = "[Thought]: Look.\n[Action]:\nClassicRetrieve(query='the place', limit=5)";
    expect(say(task('Where?'), looked, found)).toBe(
      '[Thought]: Try that.\n[Action]:\nAskTheAuthors(',
    );
  });

  it('is answered at once if the script has no steps', () => {
    expect(say(task('At once?'))).toContain("GenerateAnswer(answer='x')");
  });
});

describe('the actions that a prompt offers', () => {
  const withSql = specified('RetrieveFromDatabase', 'GenerateAnswer');
  const withSearch = specified('ClassicRetrieve', 'GenerateAnswer');

  it.each([
    [
      'a search before its statement',
      specified('ClassicRetrieve', 'RetrieveFromDatabase', 'GenerateAnswer'),
      'Where?',
      "ClassicRetrieve(query='the place', limit=5)",
    ],
    [
      'the statement where there is no search',
      withSql,
      'Where?',
      `RetrieveFromDatabase(sql="SELECT 'place'")`,
    ],
    [
      "the question's words where all steps are SQL",
      withSearch,
      'Only by SQL?',
      "ClassicRetrieve(query='Only by SQL?', limit=5)",
    ],
    [
      'titles where all steps are searches',
      withSql,
      'Only by search?',
      "RetrieveFromDatabase(sql='SELECT title, abstract FROM metadata ORDER BY title LIMIT 5')",
    ],
    [
      'the last step that needs no other, where there is only one attempt',
      specified('RetrieveFromDatabase', 'ClassicRetrieve'),
      'Where?',
      "ClassicRetrieve(query='the place', limit=5)",
    ],
  ])('decide on %s', (_, system, question, action) => {
    expect(saySpecified(system, task(question))?.split('[Action]:\n')[1]).toBe(action);
  });

  it('skip a step whose actions are not offered', () => {
    const broken = '[Thought]: Try that.\n[Action]:\nAskTheAuthors(';
    expect(saySpecified(withSearch, task('Where?'), broken, found)).toContain('GenerateAnswer');
  });

  it.each([
    ['one paper', "[Anchor PDF]: 'x'", "pdf_id == 'x'"],
    ['several papers', "[Anchor PDFs]: ['x', 'y']", "pdf_id in ['x', 'y']"],
    ['no paper', '[Conference]: acl2023', ''],
  ])('search the first collection for %s', (_, anchors, filter) => {
    const system = `${specified('RetrieveFromVectorstore', 'GenerateAnswer')}[Anchor PDF]: a label.`;
    const collections = '{"collection_name": "first"}, {"collection_name": "second"}';
    const user = `[Question]: Where?\n[Answer Format]: y\n${anchors}\n${collections}`;
    const said = saySpecified(system, user);
    expect(said).toContain("collection_name='first', table_name='chunks'");
    expect(said).toContain(`filter=${filter === '' ? "''" : JSON.stringify(filter)}, limit=5)`);
  });
});

describe('other messages', () => {
  it('get the reply of a scripted prompt that they contain', () => {
    expect(say('Judge this: 20')).toBe('correct');
  });

  it('get no reply if the script has none', () => {
    expect(say('Hello')).toBeUndefined();
  });
});

describe('a generated conversation', () => {
  const question = 'Who was never scripted?';

  function conversation(system: string): readonly string[] {
    const texts = [saySpecified(system, task(question)) ?? ''];
    texts.push(saySpecified(system, task(question), texts[0] ?? '', found) ?? '');
    texts.push(saySpecified(system, task(question), texts[1] ?? '', found) ?? '');
    return texts;
  }

  it('has the configured number of turns and ends in a known answer', () => {
    const texts = conversation('');
    expect(texts.map((text) => /Step \d of \d/.exec(text)?.[0])).toEqual([
      'Step 1 of 3',
      'Step 2 of 3',
      'Step 3 of 3',
    ]);
    expect(texts.map((text) => /\n(\w+)\(/.exec(text)?.[1])).toEqual([
      'RetrieveFromDatabase',
      'ClassicRetrieve',
      'GenerateAnswer',
    ]);
    expect(texts[2]).toContain(`GenerateAnswer(answer='${generatedAnswer(question)}')`);
  });

  it('has as many turns with the actions of other methods', () => {
    const texts = conversation(specified('ClassicRetrieve', 'GenerateAnswer'));
    expect(texts.map((text) => /\n(\w+)\(/.exec(text)?.[1])).toEqual([
      'ClassicRetrieve',
      'ClassicRetrieve',
      'GenerateAnswer',
    ]);
  });
});

describe('a script', () => {
  const answer = { thought: 'So.', value: 1 };
  it.each([
    [
      'two equal thoughts',
      {
        steps: [
          { thought: 'A b', sql: 'x' },
          { thought: 'A  b', sql: 'y' },
        ],
        answer,
      },
      'the same',
    ],
    [
      'a step with the thought of the answer',
      { steps: [{ thought: 'So.', sql: 'x' }], answer },
      'the same',
    ],
    ['no answer', { steps: [] }, 'answer'],
    ['a step that does nothing', { steps: [{ thought: 'a' }], answer }, 'a step needs'],
    ['a step of another kind', { steps: [{ thought: 'a', look: 'b' }], answer }, 'a step needs'],
    [
      'a broken placeholder in a step',
      { steps: [{ thought: 'a', sql: '{{oops}}' }], answer },
      'not a placeholder: {{oops}}',
    ],
    [
      'a broken placeholder in the answer',
      { answer: { thought: 'a', value: ['{{oops}}'] } },
      'not a placeholder: {{oops}}',
    ],
  ])('with %s is refused', (_, rest, reason) => {
    const { error } = scriptSchema.safeParse({ questions: [{ question: 'q', ...rest }] });
    expect(error?.message).toContain(reason);
  });
});
