import { answerFromContext } from '../prompts/roles.js';
import type { TwoStageMethod } from './method.js';

export const twoStageHybridRag: TwoStageMethod = {
  kind: 'two-stage',
  summary: 'one call to choose SQL or a vector search, one to answer from it',
  role: 'You retrieve evidence for a question about research papers. Everything known about the papers was read from their PDFs into a DuckDB database, which you query with SQL, and selected cells of it were embedded into a Milvus vectorstore, which you search by similarity.',
  retrieval: { kind: 'action', actions: ['RetrieveFromDatabase', 'RetrieveFromVectorstore'] },
  schemas: ['database', 'vectorstore'],
  answerRole: answerFromContext,
};
