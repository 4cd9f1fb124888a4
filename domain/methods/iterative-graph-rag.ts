import type { GraphMethod } from './method.js';

export const iterativeGraphRag: GraphMethod = {
  kind: 'graph',
  summary: 'queries of a graph index by a program outside, judged by the model, one a turn',
  papers: 'ids',
  judge: {
    role: 'You judge answers to a question about research papers. They come from a system that has read the papers into a graph and understands one question at a time: where its answer will not do, a better question is your only means.',
  },
};
