import type { SampleKey } from '../domain/ids.js';
import { preview } from '../domain/preview.js';
import { observationMessage } from '../domain/actions/render-turn.js';
import { replyText } from '../domain/questions/conversation.js';
import { pictureLabel } from '../domain/questions/message.js';
import { resultSchema, type Result } from '../domain/questions/result.js';
import { observationFile, replyFile, resultsFile } from '../domain/runs/run-layout.js';
import { observationWithoutTools } from '../domain/observations/terminal-observation.js';
import {
  observationRecordSchema,
  pictureUrl,
  replyRecordSchema,
} from '../domain/questions/turn-record.js';
import type { RunConfig } from '../domain/runs/run-config.js';
import type { RunFolder } from './run-folder.js';
import type { RunWatcher } from './watch-run.js';

/** Long enough to see what was found, short enough to follow. */
const observationLength = 600;

/** Prints a question's turns as their texts arrive in the run's folder. */
export class TurnPrinter implements RunWatcher {
  #turn = 1;
  #replyPrinted = false;
  #silent = false;

  constructor(
    private readonly folder: RunFolder,
    private readonly key: SampleKey,
    private readonly config: RunConfig,
    private readonly out: { write: (text: string) => unknown },
  ) {}

  readonly onProgress = (): void => {
    this.#silent = false;
    while (this.#printNext());
  };

  readonly onSilence = (reason: string): void => {
    if (!this.#silent) this.out.write(`(waiting for Temporal and a worker: ${reason})\n`);
    this.#silent = true;
  };

  /** What is left to print, then how it ended. */
  finish(): void {
    this.onProgress();
    const { outcome, answer } = this.result();
    this.out.write(
      answer === null
        ? `No answer: ${outcome.kind}${'message' in outcome ? ` (${outcome.message})` : ''}\n`
        : `Answer: ${answer}\n`,
    );
  }

  result(): Result {
    const result = this.folder
      .readLines(resultsFile, resultSchema)
      .find(({ uuid, epoch }) => uuid === this.key.uuid && epoch === this.key.epoch);
    if (result) return result;
    throw new Error(`${resultsFile} has no line for ${this.key.uuid}`);
  }

  #printNext(): boolean {
    const reply = this.folder.readJson(replyFile(this.key, this.#turn), replyRecordSchema);
    if (!reply) return false;
    if (!this.#replyPrinted) {
      this.out.write(`— turn ${this.#turn}\n${replyText(this.config, reply)}\n`);
      this.#replyPrinted = true;
    }
    const file = observationFile(this.key, this.#turn);
    const record = this.folder.readJson(file, observationRecordSchema);
    const observation = record?.content ?? observationWithoutTools(reply.reading);
    if (observation === null) return false;
    this.out.write(`${preview(observationMessage(observation), observationLength)}\n`);
    if (record?.image) this.out.write(`${pictureLabel(pictureUrl(record.image))}\n`);
    this.out.write('\n');
    this.#turn += 1;
    this.#replyPrinted = false;
    return true;
  }
}
