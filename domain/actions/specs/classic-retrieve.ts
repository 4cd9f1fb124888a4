import type { ActionSpec } from '../action-spec.js';
import { anyValueOfJson } from '../any-value.js';

export const classicRetrieve: ActionSpec = {
  name: 'ClassicRetrieve',
  description:
    'Search the Milvus vectorstore for passages of the papers whose meaning is close to a query text.',
  observation:
    'The closest passages, best first, each with its score and the place in the database it comes from.',
  parameters: [
    {
      name: 'query',
      type: 'str',
      description:
        'What to look for, in plain language. A short, specific wording finds more than the whole question.',
    },
    {
      name: 'limit',
      type: 'int',
      default: anyValueOfJson(5),
      description: 'How many passages to return: a positive integer. At most 10 are shown.',
    },
  ],
  examples: [
    {
      explanation: 'Find out how the annotators agreed with each other.',
      action: {
        kind: 'ClassicRetrieve',
        query: 'inter-annotator agreement of the human evaluation',
        limit: anyValueOfJson(5),
      },
    },
    {
      explanation: "Look at the three passages nearest to the question of the encoder's size.",
      action: {
        kind: 'ClassicRetrieve',
        query: "the encoder's number of layers",
        limit: anyValueOfJson(3),
      },
    },
  ],
};
