import { answerFromContext } from '../prompts/roles.js';
import type { TwoStageMethod } from './method.js';

export const twoStageNeuRag: TwoStageMethod = {
  kind: 'two-stage',
  summary: 'one call to choose a vector search, one to answer from it',
  role: 'You retrieve evidence for a question about research papers. Cells of a database about the papers were embedded into a Milvus vectorstore, which you search by similarity.',
  retrieval: { kind: 'action', actions: ['RetrieveFromVectorstore'] },
  schemas: ['described-vectorstore'],
  answerRole: answerFromContext,
};
