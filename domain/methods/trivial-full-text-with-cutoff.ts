import { answerFromContext } from '../prompts/roles.js';
import type { SingleShotMethod } from './method.js';

export const trivialFullTextWithCutoff: SingleShotMethod = {
  kind: 'single-shot',
  summary: 'one call, with the beginning of the papers the question is about',
  role: answerFromContext,
  context: { kind: 'full-text', cutoffTokens: 5000 },
};
