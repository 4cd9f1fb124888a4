import type { ActionSpec } from '../action-spec.js';
import { anyValueOfJson } from '../any-value.js';

export const generateAnswer: ActionSpec = {
  name: 'GenerateAnswer',
  description:
    'Give the final answer once what you have seen settles the question. The answer must have the form that the answer format asks for.',
  observation: 'None: this action ends the task.',
  parameters: [
    {
      name: 'answer',
      type: 'Any',
      description: 'The answer, of the type that the answer format asks for.',
    },
  ],
  examples: [
    {
      explanation: 'The question asks for a number, and it is 0.87.',
      action: { kind: 'GenerateAnswer', answer: anyValueOfJson(0.87) },
    },
    {
      explanation: 'The question asks for a list of two names.',
      action: { kind: 'GenerateAnswer', answer: anyValueOfJson(['BLEU', 'chrF']) },
    },
  ],
};
