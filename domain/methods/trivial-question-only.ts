import type { SingleShotMethod } from './method.js';

/** What a model answers without any paper: the floor that other methods are compared with. */
export const trivialQuestionOnly: SingleShotMethod = {
  kind: 'single-shot',
  summary: 'one call, the question alone, answered from what the model knows',
  role: 'You answer a question about research papers from your own knowledge. No paper is shown to you: give the answer you hold most likely.',
  context: { kind: 'none' },
};
