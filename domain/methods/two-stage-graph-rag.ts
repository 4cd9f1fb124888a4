import type { GraphMethod } from './method.js';

export const twoStageGraphRag: GraphMethod = {
  kind: 'graph',
  summary: 'one query of a graph index by a program outside, whose answer stands',
  papers: 'titles',
  judge: null,
};
