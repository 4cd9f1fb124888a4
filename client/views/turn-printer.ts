import { answerRemarks } from './trajectory-text.js';
import type { SampleKey } from '../../domain/ids.js';
import { mainArgument } from '../../domain/agent/actions/action.js';
import { preview } from '../../domain/formats/text.js';
import { actionLabels } from '../../domain/runs/workflow-details.js';
import { pictureLabel } from '../../domain/models/chat-message.js';
import type { Result } from '../../domain/agent/question-result.js';
import type { RunProgress } from '../../domain/runs/run-progress.js';
import {
  needsTool,
  pictureUrl,
  type ReplyRecord,
  type Step,
} from '../../domain/agent/turn-record.js';
import type { RunFolder } from '../runs/run-folder.js';
import type { RunWatcher } from '../runs/watch-run.js';

/** The most characters of a text. */
const lineLength = 600;

/** Prints a question's turns as they are stored: thought, action and observation. */
export class TurnPrinter implements RunWatcher {
  #turn = 1;
  #replyPrinted = false;
  #silent = false;
  #waitPrinted: string | null = null;

  constructor(
    private readonly folder: RunFolder,
    private readonly key: SampleKey,
    private readonly out: { write: (text: string) => unknown },
  ) {}

  readonly onProgress = async ({ waiting }: Pick<RunProgress, 'waiting'>): Promise<void> => {
    this.#silent = false;
    while (await this.#printNext());
    const [wait] = waiting;
    if (wait !== undefined && wait.message !== this.#waitPrinted) {
      const until = wait.until === null ? '' : ` until ${new Date(wait.until).toISOString()}`;
      this.out.write(`(waits${until}: ${wait.message})\n`);
    }
    this.#waitPrinted = wait?.message ?? null;
  };

  readonly onSilence = (reason: string): void => {
    if (!this.#silent) this.out.write(`(waiting for Temporal and a worker: ${reason})\n`);
    this.#silent = true;
  };

  /** Prints the remaining turns, then the answer or the reason for its absence. */
  async finish({
    outcome,
    answer,
    tools,
  }: Pick<Result, 'outcome' | 'answer' | 'tools'>): Promise<void> {
    while (await this.#printNext());
    const reason = 'message' in outcome ? ` (${outcome.message})` : '';
    this.out.write(
      answer === null ? `No answer: ${outcome.kind}${reason}\n` : `Answer: ${answer}\n`,
    );
    for (const remark of answerRemarks(tools)) this.out.write(`(${remark})\n`);
  }

  async #printNext(): Promise<boolean> {
    const stored = await this.folder.turn(this.key, this.#turn);
    if (!stored) return false;
    const { reply, observation } = stored;
    if (!this.#replyPrinted) this.out.write(this.#replyText(reply));
    this.#replyPrinted = true;
    if (observation) this.out.write(row('→', observation.content));
    else if (needsTool(reply)) return false;
    if (observation?.image) this.out.write(row('', pictureLabel(pictureUrl(observation.image))));
    this.out.write('\n');
    this.#turn += 1;
    this.#replyPrinted = false;
    return true;
  }

  #replyText({ reading, raw }: ReplyRecord): string {
    const heading = `turn ${this.#turn}`;
    if (reading.kind === 'error') {
      return `${heading}  ${preview(raw, lineLength)}\n${row('unread', reading.error)}`;
    }
    if (reading.kind === 'step')
      return `${heading}  ${row(...stepRow(reading.step, raw)).trimStart()}`;
    const { thought, action } = reading;
    const taken = row(actionLabels[action.kind], mainArgument(action));
    // The answer of an agent over databases has no thought.
    return thought === '' ? `${heading}  ${taken.trimStart()}` : `${heading}  ${thought}\n${taken}`;
  }
}

function stepRow(step: Step, raw: string): readonly [label: string, text: string] {
  switch (step.kind) {
    case 'plan':
      return ['plan', step.text];
    case 'enough':
      return ['plan', 'it has enough'];
    case 'reply':
      return ['model', raw];
    case 'queries':
      return ['SQL', step.queries.join('\n') || '(no query)'];
  }
}

const row = (label: string, text: string): string =>
  `  ${label.padEnd(6)}  ${preview(text, lineLength)}\n`;
