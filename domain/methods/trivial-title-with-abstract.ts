import { answerFromContext } from '../prompts/roles.js';
import type { SingleShotMethod } from './method.js';

export const trivialTitleWithAbstract: SingleShotMethod = {
  kind: 'single-shot',
  summary: 'one call, with titles and abstracts of the papers the question is about',
  role: answerFromContext,
  context: { kind: 'titles-and-abstracts', cutoffTokens: 5000 },
};
