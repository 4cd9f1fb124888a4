import { answerFromContext } from '../prompts/roles.js';
import type { SingleShotMethod } from './method.js';

export const classicRag: SingleShotMethod = {
  kind: 'single-shot',
  summary: 'one vector search for the question, one call to answer from it',
  role: answerFromContext,
  context: { kind: 'search', limit: 4 },
};
