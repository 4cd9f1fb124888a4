import { describe, expect, it } from 'vitest';
import {
  questionDetails,
  type QuestionMoment,
} from '../../../domain/questions/question-details.js';

const moment: QuestionMoment = {
  question: 'Which papers?',
  turn: 3,
  maxTurns: 20,
  reply: null,
  observation: '{"title":"*A*"}',
};

describe('the current details of a question', () => {
  it.each<[string, Partial<QuestionMoment>, string]>([
    ['while the model is asked', {}, 'asking the model'],
    [
      'while its action is carried out',
      { reply: { kind: 'action', action: 'RetrieveFromDatabase', preview: 'SELECT * FROM pages' } },
      'SQL `` SELECT * FROM pages ``',
    ],
    [
      'when it has answered',
      { reply: { kind: 'action', action: 'GenerateAnswer', preview: '``two``' } },
      "answer `` ''two'' ``",
    ],
    [
      'when it has answered with nothing',
      { reply: { kind: 'action', action: 'GenerateAnswer', preview: '' } },
      'answer nothing',
    ],
    [
      'when the reply was none',
      { reply: { kind: 'unparseable', error: 'no action' } },
      'a reply that could not be read: no action',
    ],
  ])('%s', (_when, change, doing) => {
    expect(questionDetails({ ...moment, ...change })).toBe(
      [
        `**Turn 3 of at most 20**: ${doing}`,
        'It was told `` {"title":"*A*"} ``',
        'Question: Which papers?',
      ].join('  \n'),
    );
  });

  it('name no observation in the first turn', () => {
    expect(questionDetails({ ...moment, turn: 1, observation: null })).not.toContain('told');
  });
});
