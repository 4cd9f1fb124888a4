import { describe, expect, it } from 'vitest';
import {
  answerText,
  anyValueOfJson,
  mainArgument,
  type Action,
} from '../../../../domain/agent/actions/action.js';
import {
  assistantMessage,
  observationMessage,
} from '../../../../domain/agent/actions/parse-reply.js';

const style = { format: 'markdown', protocol: 'react', strictness: 'tolerant' } as const;

const answer = (value: Extract<Action, { kind: 'GenerateAnswer' }>['answer']) =>
  ({ kind: 'GenerateAnswer', answer: value }) as const;

describe('assistantMessage', () => {
  it.each<[Action, string]>([
    [
      { kind: 'RetrieveFromDatabase', sql: "a = 'b'\n" },
      String.raw`RetrieveFromDatabase(sql="a = 'b'\n")`,
    ],
    [
      { kind: 'ClassicRetrieve', query: 'é', limit: anyValueOfJson(5) },
      "ClassicRetrieve(query='é', limit=5)",
    ],
    [answer({ kind: 'text', text: 'x' }), "GenerateAnswer(answer='x')"],
    [answer({ kind: 'literal', source: '[1.0]' }), 'GenerateAnswer(answer=[1.0])'],
  ])('writes %j', (action, expected) => {
    const message = assistantMessage({ kind: 'action', thought: 'why', action }, 'raw', style);
    expect(message).toBe(`[Thought]: why\n[Action]:\n${expected}`);
  });

  it('keeps the place of a thought that is missing', () => {
    const action = answer({ kind: 'literal', source: '1' });
    expect(assistantMessage({ kind: 'action', thought: '', action }, 'raw', style)).toBe(
      '[Thought]: \n[Action]:\nGenerateAnswer(answer=1)',
    );
  });

  it('repeats a reply that could not be read', () => {
    expect(assistantMessage({ kind: 'error', error: 'no' }, ' raw\n', style)).toBe(' raw\n');
  });
});

describe('observationMessage', () => {
  it.each([
    ['one line', '[Observation]: one line'],
    ['two\nlines', '[Observation]:\ntwo\nlines'],
    ['', '[Observation]: '],
  ])('begins %j on the line that fits it', (content, expected) => {
    expect(observationMessage(content)).toBe(expected);
  });
});

it.each<[Action, string]>([
  [{ kind: 'RetrieveFromDatabase', sql: 's' }, 's'],
  [{ kind: 'ClassicRetrieve', query: 'q', limit: anyValueOfJson(1) }, 'q'],
  [answer({ kind: 'literal', source: "['a']" }), "['a']"],
])('%j is told by its main argument', (action, expected) => {
  expect(mainArgument(action)).toBe(expected);
});

it('the text of an answer is its str', () => {
  expect(answerText(answer({ kind: 'text', text: `it's` }))).toBe(`it's`);
  expect(answerText(answer({ kind: 'literal', source: "{'a': 1.0}" }))).toBe("{'a': 1.0}");
});
