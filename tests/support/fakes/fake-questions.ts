import type { QuestionsPort } from '../../../activities/ports/run-files.js';
import { keyText, type RunId, type SampleKey } from '../../../domain/ids.js';

/** An engine in which the workflows of the given questions are open, by the text of their keys. */
export class FakeQuestions implements QuestionsPort {
  readonly asked: string[] = [];
  readonly started: string[] = [];
  /** The ends that runs were told. */
  readonly reported: string[] = [];
  readonly #open: readonly string[];

  constructor(...open: readonly string[]) {
    this.#open = open;
  }

  /** The open ones that visibility does not know of yet. */
  readonly unlisted: string[] = [];
  readonly restarted: string[] = [];
  /** Why none is started again. */
  hindrance: string | null = null;

  readonly listOpen: QuestionsPort['listOpen'] = () =>
    Promise.resolve({
      has: (key) => this.#open.includes(keyText(key)) && !this.unlisted.includes(keyText(key)),
    });

  readonly restart: QuestionsPort['restart'] = (_run, key) => {
    if (this.hindrance === null) this.restarted.push(keyText(key));
    return Promise.resolve(this.hindrance);
  };

  readonly isOpen = (_run: RunId, key: SampleKey): Promise<boolean> => {
    this.asked.push(keyText(key));
    return Promise.resolve(this.#open.includes(keyText(key)));
  };

  readonly start: QuestionsPort['start'] = ({ sample }) => {
    const isOpen = this.#open.includes(keyText(sample));
    if (!isOpen) this.started.push(keyText(sample));
    return Promise.resolve(!isOpen);
  };

  readonly reportEnd: QuestionsPort['reportEnd'] = (ref, { outcome }) => {
    this.reported.push(`${keyText(ref)} ${outcome}`);
    return Promise.resolve();
  };
}
