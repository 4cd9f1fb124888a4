import type { DatabasesPort } from '../../../activities/ports/stores.js';

/** The databases of questions about papers: nothing asks for them. */
export const noDatabases: DatabasesPort = {
  description: () => Promise.reject(new Error('a question about papers has no database')),
};
