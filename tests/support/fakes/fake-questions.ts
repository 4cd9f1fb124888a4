import type { QuestionsPort } from '../../../activities/ports/run-files.js';

/** An engine in which the workflows of the given ids are open. */
export class FakeQuestions implements QuestionsPort {
  readonly asked: string[] = [];
  readonly #open: readonly string[];

  constructor(...open: readonly string[]) {
    this.#open = open;
  }

  readonly isOpen = (workflowId: string): Promise<boolean> => {
    this.asked.push(workflowId);
    return Promise.resolve(this.#open.includes(workflowId));
  };
}
