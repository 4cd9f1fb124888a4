import type { SchemaBlock } from '../methods/method.js';
import { renderDatabaseSchema } from '../papers/paper-schema.js';
import type { StoreManifest } from '../stores/store-manifest.js';
import { renderVectorstoreSchema } from '../stores/vectorstore-schema.js';
import type { TaskInput } from './task-inputs.js';

/** What the schema blocks of a task are rendered from. */
export type PromptStore = Pick<StoreManifest, 'name' | 'collections'>;

/** A labelled block of a task. */
export function schemaBlock(block: SchemaBlock, store: PromptStore): string {
  switch (block) {
    case 'database':
      return `[Database Schema]: ${renderDatabaseSchema(store.name)}`;
    case 'vectorstore':
      return `[Vectorstore Schema]: ${renderVectorstoreSchema(store)}`;
    case 'described-vectorstore':
      return `[Vectorstore Schema]: ${renderVectorstoreSchema(store, 'described')}`;
  }
}

/** The label of the block, as the prompt explains it. */
export const schemaInputs = {
  database: 'database',
  vectorstore: 'vectorstore',
  'described-vectorstore': 'vectorstore',
} as const satisfies Readonly<Record<SchemaBlock, TaskInput>>;
