import { combiningHints, databaseHints, generalHints, vectorstoreHints } from '../prompts/hints.js';
import { bothStores } from '../prompts/roles.js';
import type { IterativeMethod } from './method.js';

export const neusymRag: IterativeMethod = {
  kind: 'iterative',
  summary: 'SQL, vector search, arithmetic and page images, one action a turn',
  role: bothStores,
  actions: [
    'RetrieveFromDatabase',
    'RetrieveFromVectorstore',
    'CalculateExpr',
    'ViewImage',
    'GenerateAnswer',
  ],
  schemas: ['database', 'vectorstore'],
  hints: [...databaseHints, ...vectorstoreHints, ...combiningHints, ...generalHints],
  scope: 'store',
};
