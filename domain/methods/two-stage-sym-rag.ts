import { answerFromContext } from '../prompts/roles.js';
import type { TwoStageMethod } from './method.js';

export const twoStageSymRag: TwoStageMethod = {
  kind: 'two-stage',
  summary: 'one call to write SQL, one to answer from its rows',
  role: 'You retrieve evidence for a question about research papers. Everything known about the papers was read from their PDFs into a DuckDB database, which you query with SQL.',
  retrieval: { kind: 'sql' },
  schemas: ['database'],
  answerRole: answerFromContext,
};
