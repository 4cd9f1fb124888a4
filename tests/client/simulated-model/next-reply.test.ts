import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../../client/simulated-model/chat-request.js';
import { readConversation } from '../../../client/simulated-model/conversation.js';
import { generatedAnswer } from '../../../client/simulated-model/generated-turn.js';
import { createReplies } from '../../../client/simulated-model/next-reply.js';
import { scriptSchema } from '../../../client/simulated-model/script.js';

const script = scriptSchema.parse({
  questions: [
    {
      question: 'How many turns?',
      replies: [
        { thought: 'Look first.', action: 'RetrieveFromDatabase(sql="SELECT 1")' },
        { thought: 'Found\nit.', action: 'GenerateAnswer(answer={{0.turns}})' },
      ],
    },
  ],
  prompts: [{ includes: 'Judge this', reply: 'correct' }],
  generated: { turns: 3 },
});

const task = (question: string): string =>
  `[Question]: ${question}\n[Answer Format]: a number\n[Anchor PDF]: 'x'`;

const say = (user: string, ...later: string[]): string | undefined =>
  createReplies(script)(
    readConversation(
      chatRequestSchema.parse({
        model: 'm',
        messages: [
          { role: 'system', content: 'You see [Question]: and more.' },
          { role: 'user', content: user },
          ...later.map((content, at) => ({ role: at % 2 ? 'user' : 'assistant', content })),
        ],
      }),
    ),
  );

const first = '[Thought]: Look first.\n[Action]:\nRetrieveFromDatabase(sql="SELECT 1")';
const found = '[Observation]:\n{"turns":20}\n\nIn total, 1 rows are displayed in JSON format.';

describe('a scripted question', () => {
  it('begins with the first reply', () => {
    expect(say(task('How many turns?'))).toBe(first);
  });

  it('goes on after the thought of the last assistant message, with what was observed', () => {
    expect(say(task('How many turns?'), first, found)).toBe(
      '[Thought]: Found\nit.\n[Action]:\nGenerateAnswer(answer=20)',
    );
  });

  it('does not mind white space that rendering changed, nor a window that cut the beginning', () => {
    const said = '[Thought]: Found it. \n[Action]:\nGenerateAnswer(answer=20)';
    expect(say(task('How  many\nturns?'), said, found)).toContain('GenerateAnswer(answer=20)');
  });

  it('answers visibly wrong where a placeholder finds nothing', () => {
    expect(say(task('How many turns?'), first, '[Observation]: [Warning]: empty')).toBe(
      "[Thought]: Found\nit.\n[Action]:\nGenerateAnswer(answer='The simulated model found nothing for {{0.turns}} in the last observation.')",
    );
  });

  it('is found behind an explanation of the labels in the same message', () => {
    const explained = `[Question]: what to answer\n[Answer Format]: how\n--------\n${task('How many turns?')}`;
    expect(say(explained)).toBe(first);
  });
});

describe('other messages', () => {
  it('get the reply of a prompt they include', () => {
    expect(say('Judge this: 20')).toBe('correct');
  });

  it('get none where the script has none', () => {
    expect(say('Hello')).toBeUndefined();
  });
});

describe('a generated conversation', () => {
  it('has the turns it was asked to have and ends in an answer known beforehand', () => {
    const question = 'Who was never scripted?';
    const texts = [say(task(question)) ?? ''];
    texts.push(say(task(question), texts[0] ?? '', found) ?? '');
    texts.push(say(task(question), texts[1] ?? '', found) ?? '');
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
});

describe('a script', () => {
  it.each([
    [
      'two equal thoughts',
      [
        { thought: 'A b', action: 'x' },
        { thought: 'A  b', action: 'y' },
      ],
    ],
    ['no replies', []],
    ['a broken placeholder', [{ thought: 'a', action: 'F({{oops}})' }]],
  ])('with %s is refused', (_, replies) => {
    expect(scriptSchema.safeParse({ questions: [{ question: 'q', replies }] }).success).toBe(false);
  });
});
