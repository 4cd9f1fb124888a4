import type { WriteStream } from 'node:tty';
import { progressText } from '../domain/runs/progress-text.js';
import { preview } from '../domain/preview.js';
import { endedCount } from '../domain/runs/run-totals.js';
import type { RunProgress } from '../domain/runs/run-progress.js';
import type { RunWatcher } from './watch-run.js';

/** Without a terminal, a line at most this often, and none before: short runs need none. */
const plainLineEveryMs = 20_000;

const clearLine = '\r\u001b[2K';

/** Shows a run's progress: one line that rewrites itself in a terminal, a plain line now and then elsewhere. */
export class ProgressDisplay implements RunWatcher {
  readonly #begun = Date.now();
  #endedBefore: number | null = null;
  #shownAt = this.#begun;
  #shown = '';

  constructor(private readonly out: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>) {}

  readonly onProgress = ({ samples, totals, inFlight }: RunProgress): void => {
    // Not opened yet: nothing is known.
    if (samples === 0) return;
    this.#endedBefore ??= endedCount(totals);
    this.#show(
      progressText({
        samples,
        totals,
        inFlight: inFlight.length,
        elapsedMs: Date.now() - this.#begun,
        endedBefore: this.#endedBefore,
      }),
    );
  };

  readonly onSilence = (reason: string): void => {
    this.#show(`waiting for Temporal and a worker (${reason})`);
  };

  /** Makes room for what is printed next. */
  finish(): void {
    if (this.out.isTTY && this.#shown !== '') this.out.write(clearLine);
  }

  #show(text: string): void {
    if (text === this.#shown) return;
    if (this.out.isTTY) {
      this.out.write(`${clearLine}${preview(text, Math.max(20, this.out.columns - 1))}`);
    } else {
      if (Date.now() - this.#shownAt < plainLineEveryMs) return;
      this.out.write(`${text}\n`);
    }
    this.#shown = text;
    this.#shownAt = Date.now();
  }
}
