import { databaseHints, generalHints } from '../prompts/hints.js';
import type { IterativeMethod } from './method.js';

export const iterativeSymRag: IterativeMethod = {
  kind: 'iterative',
  summary: 'SQL over the database of the papers, one action a turn',
  role: 'You answer questions about research papers. Everything known about the papers was read from their PDFs into a DuckDB database, which you query with SQL.',
  actions: ['RetrieveFromDatabase', 'CalculateExpr', 'ViewImage', 'GenerateAnswer'],
  schemas: ['database'],
  hints: [...databaseHints, ...generalHints],
  scope: 'store',
};
