import { renderDatabaseSchema } from '../papers/paper-schema.js';
import { hybridReactSystem } from '../prompts/hybrid-react-system.js';
import { renderVectorstoreSchema } from '../stores/vectorstore-schema.js';
import type { Method } from './method.js';

/** SQL and similarity search over the same papers, freely interleaved: the seed trajectories' own configuration. */
export const hybridReact: Method = {
  name: 'hybrid_react',
  summary: 'SQL and vector search over the same papers, one action a turn',
  actions: ['RetrieveFromDatabase', 'ClassicRetrieve', 'GenerateAnswer'],
  system: hybridReactSystem,
  schemaBlocks: (store) => [
    `[Database Schema]: ${renderDatabaseSchema(store.name)}`,
    `[Vectorstore Schema]: ${renderVectorstoreSchema(store)}`,
  ],
};
