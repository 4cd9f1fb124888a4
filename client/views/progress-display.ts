import type { WriteStream } from 'node:tty';
import type { Client } from '@temporalio/client';
import type { RunId } from '../../domain/ids.js';
import {
  addPoint,
  progressPoint,
  ratesOf,
  type ProgressPoint,
  type RunProgress,
} from '../../domain/runs/run-progress.js';
import type { RunFolder } from '../runs/run-folder.js';
import { DetailsReader, noDetails, type DisplayDetails } from './display-details.js';
import { progressLines, progressText, type ProgressMoment } from './progress-text.js';
import { RedrawnLines } from './terminal.js';
import type { RunWatcher } from './watch-run.js';

/** Without a terminal, lines are this far apart, or this part of the elapsed time if that is longer. */
const plainLineEveryMs = 20_000;
const plainLineEveryPart = 1 / 30;

/** How often a terminal display reads the details. */
const lookEveryMs = 5_000;

/** Shows a run's progress: in a terminal, lines that are redrawn; elsewhere, a plain line from time to time. */
export class ProgressDisplay implements RunWatcher {
  readonly #begun = Date.now();
  readonly #lines: RedrawnLines | null;
  #points: readonly ProgressPoint[] = [];
  #seen: DisplayDetails = noDetails;
  #looking: Promise<void> | null = null;
  #lookAgainAt = 0;
  #plainAt = this.#begun;
  #plain = '';
  #wasHeld: string | null = null;
  #over = false;

  /** @param look - reads the details; called only for a terminal, and never concurrently */
  constructor(
    private readonly out: Pick<WriteStream, 'write' | 'isTTY' | 'columns' | 'rows'>,
    private readonly run: RunId,
    private readonly look: (progress: RunProgress) => Promise<DisplayDetails> = () =>
      Promise.resolve(noDetails),
  ) {
    this.#lines = out.isTTY ? new RedrawnLines(out) : null;
  }

  readonly onProgress = (progress: RunProgress): void => {
    // The run's workflow has not read its dataset yet.
    if (progress.summary.samples === 0) return;
    const nowMs = Date.now();
    const point = progressPoint(progress.totals, nowMs);
    this.#points = addPoint(this.#points, point);
    const moment: ProgressMoment = {
      run: this.run,
      progress,
      rates: ratesOf(this.#points, point),
      ...this.#seen,
      nowMs,
    };
    if (this.#lines) {
      this.#lookNowAndThen(progress);
      this.#lines.show(progressLines(moment));
      return;
    }
    // A change of the hold is shown at once.
    const { heldBy } = progress.summary;
    if (heldBy !== this.#wasHeld) this.#writePlain(progressText(moment));
    else this.#writePlainAfter(() => progressText(moment));
    this.#wasHeld = heldBy;
  };

  readonly onSilence = (reason: string): void => {
    const text = `waiting for Temporal and a worker (${reason})`;
    if (this.#lines) this.#lines.show([text]);
    else this.#writePlainAfter(() => text);
  };

  /** Clears the display and stops reading details. */
  async finish(): Promise<void> {
    this.#over = true;
    this.#lines?.clear();
    await this.#looking;
  }

  #lookNowAndThen(progress: RunProgress): void {
    if (this.#over || this.#looking || Date.now() < this.#lookAgainAt) return;
    this.#looking = this.look(progress)
      .then((seen) => void (this.#seen = seen))
      // The next read may succeed. `onSilence` reports a run that does not answer.
      .catch(() => undefined)
      .finally(() => {
        this.#looking = null;
        this.#lookAgainAt = Date.now() + lookEveryMs;
      });
  }

  #writePlainAfter(text: () => string): void {
    const now = Date.now();
    const every = Math.max(plainLineEveryMs, (now - this.#begun) * plainLineEveryPart);
    if (now - this.#plainAt >= every) this.#writePlain(text());
  }

  #writePlain(text: string): void {
    if (text === this.#plain) return;
    this.out.write(`${text}\n`);
    this.#plain = text;
    this.#plainAt = Date.now();
  }
}

/**
 * A display on stderr, with details.
 * @param folder - null if the run's files are on another machine
 */
export const progressDisplay = (
  client: Client,
  id: RunId,
  folder: RunFolder | null,
): ProgressDisplay =>
  new ProgressDisplay(process.stderr, id, new DetailsReader({ client, id, folder }).look);
