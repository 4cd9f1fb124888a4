import { classicHints, generalHints } from '../prompts/hints.js';
import type { IterativeMethod } from './method.js';

export const iterativeClassicRag: IterativeMethod = {
  kind: 'iterative',
  summary: 'vector search over the passages of the papers in question, one search a turn',
  role: 'You answer questions about research papers. The papers were cut into passages, which you search by their meaning.',
  actions: ['ClassicRetrieve', 'GenerateAnswer'],
  schemas: [],
  hints: [...classicHints, ...generalHints],
  scope: 'anchors',
};
