import type { WriteStream } from 'node:tty';
import { progressText } from '../domain/runs/progress-text.js';
import { endedCount } from '../domain/runs/run-totals.js';
import type { RunProgress } from '../workflows/messages.js';
import type { RunWatcher } from './watch-run.js';

/** Without a terminal, a line at most this often. */
const plainLineEveryMs = 5_000;

/** Shows a run's progress: one line that rewrites itself in a terminal, plain lines elsewhere. */
export class ProgressDisplay implements RunWatcher {
  readonly #begun = Date.now();
  #endedBefore: number | null = null;
  #shownAt = 0;
  #shown = '';

  constructor(private readonly out: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>) {}

  readonly onProgress = ({ samples, totals, inFlight }: RunProgress): void => {
    // Not opened yet: nothing is known.
    if (samples === 0) return;
    this.#endedBefore ??= endedCount(totals);
    const text = progressText({
      samples,
      totals,
      inFlight: inFlight.length,
      elapsedMs: Date.now() - this.#begun,
      endedBefore: this.#endedBefore,
    });
    this.#show(text, plainLineEveryMs);
  };

  readonly onSilence = (reason: string): void => {
    this.#show(`waiting for Temporal and a worker (${reason})`, plainLineEveryMs);
  };

  /** Leaves the last line standing. */
  finish(): void {
    if (this.out.isTTY && this.#shown !== '') this.out.write('\n');
  }

  #show(text: string, everyMs: number): void {
    if (text === this.#shown) return;
    if (this.out.isTTY) {
      this.out.write(`\r\u001b[2K${text.slice(0, Math.max(20, this.out.columns - 1))}`);
    } else {
      if (Date.now() - this.#shownAt < everyMs) return;
      this.out.write(`${text}\n`);
    }
    this.#shown = text;
    this.#shownAt = Date.now();
  }
}
