import type { ActionSpec } from '../action-spec.js';

export const queryGraph: ActionSpec = {
  name: 'QueryGraph',
  description:
    'Ask a graph of the entities in the papers, and of how they relate, a question in words. Use it for what is spread over many papers: themes, comparisons, who builds on whom.',
  observation: 'An answer in words, put together from the graph.',
  parameters: [
    {
      name: 'query',
      type: 'str',
      description: 'A question that can be understood by itself. Name papers by their titles.',
    },
  ],
  examples: [
    {
      explanation: 'Ask for a theme that no single passage states.',
      action: {
        kind: 'QueryGraph',
        query: 'Which kinds of data augmentation do the papers on speech recognition use?',
      },
    },
    {
      explanation: 'Ask how papers relate.',
      action: {
        kind: 'QueryGraph',
        query: 'Which papers evaluate on a benchmark that another of the papers introduces?',
      },
    },
  ],
};
