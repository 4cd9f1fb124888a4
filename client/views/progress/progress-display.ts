import type { WriteStream } from 'node:tty';
import type { RunId } from '../../../domain/ids.js';
import {
  addPoint,
  progressPoint,
  ratesOf,
  type ProgressPoint,
  type ProgressRates,
  type RunProgress,
} from '../../../domain/runs/run-progress.js';
import { slowQuestionText } from '../../../domain/runs/slow-question.js';
import { queryRun } from '../../runs/query-run.js';
import type { RunFolder } from '../../runs/run-folder.js';
import { takeSnapshot, type OpenState, type RunSnapshot } from '../../runs/status/run-snapshot.js';
import type { RunWatcher } from '../../runs/watch-run.js';
import { progressLines, progressText } from './progress-text.js';
import { isQuiet } from '../../services/tell.js';
import { RedrawnLines } from '../terminal.js';
import type { HomeClient } from '../../services/home-client.js';

/** Without a terminal: the time to the first line, and between two lines, which grows with the time of the run. */
const plainLineEveryMs = 20_000;
const plainLineEveryPart = 1 / 30;

/** On a terminal: the least time between two snapshots. After one that took longer, the display waits as long as it took. */
const snapshotEveryMs = 5_000;

/** Longer than a server needs to answer. `finish` may wait as long. */
const answerMs = 4_000;

/** Shows a run's progress: lines that are redrawn on a terminal, a plain line now and then elsewhere. */
export class ProgressDisplay implements RunWatcher {
  readonly #startedAtMs = Date.now();
  readonly #lines: RedrawnLines | null;
  #points: readonly ProgressPoint[] = [];
  #snapshot: RunSnapshot | null = null;
  #pending: Promise<void> | null = null;
  #nextSnapshotAtMs = 0;
  #plainAtMs = this.#startedAtMs;
  #plain = '';
  #lastHeldBy: string | null = null;
  #isFinished = false;

  /** @param takeSnapshot - of the same run; never called twice at once */
  constructor(
    private readonly out: Pick<WriteStream, 'write' | 'isTTY' | 'columns' | 'rows'>,
    private readonly run: RunId,
    private readonly takeSnapshot: () => Promise<RunSnapshot | null> = () => Promise.resolve(null),
  ) {
    this.#lines = out.isTTY ? new RedrawnLines(out) : null;
  }

  readonly onProgress = (progress: RunProgress): void => {
    // The run's workflow has not read its questions yet.
    if (progress.summary.samples === 0) return;
    const nowMs = Date.now();
    const point = progressPoint(progress.totals, nowMs);
    this.#points = addPoint(this.#points, point);
    const rates = ratesOf(this.#points, point);
    if (this.#lines) {
      this.#refreshSnapshot();
      this.#lines.show(progressLines(this.#withProgress(progress, nowMs), rates));
      return;
    }
    const { heldBy } = progress.summary;
    if (heldBy !== this.#lastHeldBy) this.#writePlain(progressText(this.run, progress, rates));
    else if (this.#isPlainDue()) this.#writeWithReason(progress, rates);
    this.#lastHeldBy = heldBy;
  };

  /** The latest snapshot with newer progress. */
  #withProgress(progress: RunProgress, takenAtMs: number): RunSnapshot & { live: OpenState } {
    const { stored = null, accounts = [], live } = this.#snapshot ?? {};
    const slow = live?.kind === 'open' ? live.slow : [];
    return {
      run: this.run,
      takenAtMs,
      stored,
      accounts,
      live: { kind: 'open', progress, slow },
    };
  }

  readonly onSilence = (reason: string): void => {
    const text = `waiting for Temporal and a worker (${reason})`;
    if (this.#lines) this.#lines.show([text]);
    else if (this.#isPlainDue()) this.#writePlain(text);
  };

  /** Clears the lines, and waits until no request to the server is in flight. */
  async finish(): Promise<void> {
    this.#isFinished = true;
    this.#lines?.clear();
    await this.#pending;
  }

  /** @param then - is called after it, unless the display has ended. Not at all where another snapshot is under way */
  #refreshSnapshot(then: () => void = () => undefined): void {
    const startedAtMs = Date.now();
    if (this.#isFinished || this.#pending || startedAtMs < this.#nextSnapshotAtMs) return;
    this.#pending = this.takeSnapshot()
      .then((snapshot) => void (this.#snapshot = snapshot))
      // The display keeps the earlier snapshot. An unreachable server is reported by `onSilence`.
      .catch(() => undefined)
      .finally(() => {
        const nowMs = Date.now();
        this.#pending = null;
        this.#nextSnapshotAtMs = nowMs + Math.max(snapshotEveryMs, nowMs - startedAtMs);
        if (!this.#isFinished) then();
      });
  }

  #isPlainDue(): boolean {
    const now = Date.now();
    const every = Math.max(plainLineEveryMs, (now - this.#startedAtMs) * plainLineEveryPart);
    return now - this.#plainAtMs >= every;
  }

  /** Asks first what the slowest question waits for: a run whose endpoint is down would look like one that works. */
  #writeWithReason(progress: RunProgress, rates: ProgressRates | null): void {
    this.#nextSnapshotAtMs = 0;
    this.#plainAtMs = Date.now();
    this.#refreshSnapshot(() => {
      const { live, takenAtMs = 0 } = this.#snapshot ?? {};
      const [slowest] = live?.kind === 'open' ? live.slow : [];
      const line = progressText(this.run, progress, rates);
      this.#writePlain(slowest ? `${line} · ${slowQuestionText(slowest, takenAtMs)}` : line);
    });
  }

  #writePlain(text: string): void {
    if (text === this.#plain) return;
    this.out.write(`${text}\n`);
    this.#plain = text;
    this.#plainAtMs = Date.now();
  }
}

/** Of `--quiet`. */
const nowhere = { write: () => true, isTTY: false, columns: 0, rows: 0 };

/**
 * A display on stderr.
 * @param folder - null where the run's files are on another machine
 */
export const progressDisplay = (
  client: HomeClient,
  run: RunId,
  folder: RunFolder | null,
): ProgressDisplay =>
  new ProgressDisplay(isQuiet() ? nowhere : process.stderr, run, () =>
    takeSnapshot({
      run,
      folder,
      ask: Promise.resolve((query) =>
        client.withDeadline(Date.now() + answerMs, () => queryRun(client, query)),
      ),
      histories: 0,
    }),
  );
