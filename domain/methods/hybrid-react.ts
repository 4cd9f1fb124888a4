import { combiningHints, databaseHints, generalHints, seedHints } from '../prompts/hints.js';
import { bothStores } from '../prompts/roles.js';
import type { IterativeMethod } from './method.js';

/** The seed trajectories' own configuration: `neusym_rag` with three actions, and searches over the whole store. */
export const hybridReact: IterativeMethod = {
  kind: 'iterative',
  summary: 'SQL and search over the passages of all papers, one action a turn',
  role: bothStores,
  actions: ['RetrieveFromDatabase', 'ClassicRetrieve', 'GenerateAnswer'],
  schemas: ['database', 'vectorstore'],
  hints: [...databaseHints, ...combiningHints, ...seedHints, ...generalHints],
  scope: 'store',
};
