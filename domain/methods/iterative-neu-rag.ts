import { generalHints, vectorstoreHints } from '../prompts/hints.js';
import type { IterativeMethod } from './method.js';

export const iterativeNeuRag: IterativeMethod = {
  kind: 'iterative',
  summary: 'vector search over all collections and embedded cells, one action a turn',
  role: 'You answer questions about research papers. Cells of a database about the papers were embedded into a Milvus vectorstore, which you search by similarity.',
  actions: ['RetrieveFromVectorstore', 'CalculateExpr', 'ViewImage', 'GenerateAnswer'],
  schemas: ['described-vectorstore'],
  hints: [...vectorstoreHints, ...generalHints],
  scope: 'store',
};
