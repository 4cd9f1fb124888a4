import type { WriteStream } from 'node:tty';
import type { RunId } from '../../../domain/ids.js';
import {
  addPoint,
  progressPoint,
  ratesOf,
  timeLeftMs,
  type ProgressPoint,
  type ProgressRates,
  type RunProgress,
  type OpenState,
} from '../../../domain/runs/run-progress.js';
import { slowQuestionText } from '../../../domain/runs/workflow-details.js';
import {
  outcomeKinds,
  addedAnswerers,
  answererText,
} from '../../../domain/agent/question-result.js';
import {
  countText,
  duration,
  grouped,
  joined,
  said,
  type Texts,
  visibleText,
} from '../../../domain/formats/text.js';
import { addCost, costText, dollars } from '../../../domain/models/usage.js';
import {
  endedCount,
  outsideFailures,
  scoreMeans,
  type RunTotals,
} from '../../../domain/runs/run-totals.js';
import type { Scale } from '../../../domain/scoring/verdict.js';
import type { Headline } from '../../../domain/scoring/score-ledger.js';
import { queryRun } from '../../runs/query-run.js';
import type { RunFolder } from '../../runs/run-folder.js';
import { takeSnapshot, type RunSnapshot } from '../../runs/status/run-snapshot.js';
import type { RunWatcher } from '../../runs/watch-run.js';
import { isQuiet } from '../../services/tell.js';
import { RedrawnLines } from '../terminal.js';
import type { HomeClient } from '../../services/home-client.js';
import { failureLines } from '../end-report.js';
import { accountLine, holdText } from '../run-text.js';

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
    this.out.write(visibleText(`${text}\n`));
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

/** A run whose workflow answered. */
export interface OpenRun extends RunSnapshot {
  readonly live: OpenState;
}

/** Null before they can be computed. */
type Rates = ProgressRates | null;

/** The display has room for the first few. */
const slowShown = 3;

/** A run's progress on one line: `12/40 done · 1 failed · 8 in flight · 71 turns · 35k tokens · $0.12 · about 2 min left`. */
export function progressText(run: RunId, progress: RunProgress, rates: Rates): string {
  const { summary, totals, inFlight } = progress;
  const ended = endedCount(totals);
  const failed = outsideFailures(totals);
  const left = timeLeftMs(progress, rates);
  const hold = holdText(run, progress);
  return joined(
    ' · ',
    `${ended - failed}/${summary.samples} done`,
    failed > 0 && `${failed} failed`,
    inFlight.length > 0 && `${inFlight.length} in flight`,
    `${totals.turns} turns`,
    spentTexts(progress),
    left !== null && `about ${duration(left)} left`,
    hold,
  );
}

/** What ended questions took; what the run's ledger knows, where the calls of questions in flight have taken more. */
function spentTexts(progress: RunProgress): Texts {
  const { totals } = progress;
  const more = said(takenInFlight(progress));
  if (more.length > 0) return more;
  return [`${countText(tokensOf(totals))} tokens`, endedCount(totals) > 0 && costText(totals.cost)];
}

/** What all calls have taken, with those of questions in flight. Nothing where these have taken nothing yet. */
function takenInFlight({ totals, summary, inFlight }: RunProgress): Texts {
  const { spent } = summary.budget;
  const ended = tokensOf(totals) + tokensOf(totals.judged);
  return (
    inFlight.length > 0 &&
    spent.tokens > ended && [
      `${countText(spent.tokens)} tokens`,
      spent.usd > 0 && dollars(spent.usd),
      'so far, with questions in flight',
    ]
  );
}

/** The same on several lines. Lines without content are left out. */
export function progressLines(snapshot: OpenRun, rates: Rates): readonly string[] {
  const { run, takenAtMs, stored, accounts } = snapshot;
  const { progress, slow } = snapshot.live;
  const hold = holdText(run, progress);
  // The number of failures is among the outcomes.
  const failures = stored
    ? failureLines({ totals: stored.figures.totals, results: stored.results }).slice(1)
    : [];
  const answerers = addedAnswerers(stored?.results.flatMap((each) => each.answeredBy ?? []) ?? []);
  return said([
    headLine(progress),
    outcomesLine(progress.totals),
    failures.map((line) => line.trim()),
    scoreLines(progress.totals, stored?.ledger?.headlines ?? []),
    workLine(progress.totals, rates),
    moneyLine(progress),
    endedCount(progress.totals) === 0 && joined(' · ', takenInFlight(progress)),
    answererText(answerers),
    accounts.map(accountLine),
    timeLine(progress, rates),
    // Where the whole run is held, every question is slow for the same reason.
    hold ?? slow.slice(0, slowShown).map((question) => slowQuestionText(question, takenAtMs)),
  ]).filter((line) => line !== '');
}

function headLine({ totals, inFlight, waiting, summary }: RunProgress): string {
  const { samples } = summary;
  const ended = endedCount(totals);
  const waits = waiting.length > 0 ? `, ${grouped(waiting.length)} of them waiting` : '';
  return [
    `${grouped(ended)} of ${grouped(samples)} questions ended (${Math.floor((100 * ended) / samples)} %)`,
    `${grouped(inFlight.length)} in flight${waits}`,
    `at most ${grouped(summary.concurrency)} at once`,
  ].join(' · ');
}

const outcomesLine = ({ outcomes }: RunTotals): string =>
  outcomeKinds
    .flatMap((kind) => (outcomes[kind] ? [`${grouped(outcomes[kind])} ${kind}`] : []))
    .join(' · ');

function scoreLines({ scores }: RunTotals, headlines: readonly Headline[]): readonly string[] {
  const known = headlines.flatMap(({ scale, score, scored }) =>
    score === null
      ? []
      : `${scoreNames[scale]} ${score.mean.toFixed(3)} so far, 95 % between ${score.interval.low.toFixed(3)} and ${score.interval.high.toFixed(3)}, of ${grouped(scored)} scored`,
  );
  if (known.length > 0) return known;
  return scoreMeans(scores).map(
    ({ scale, mean, scored }) =>
      `${scoreNames[scale]} ${mean.toFixed(3)} so far, of ${grouped(scored)}`,
  );
}

const scoreNames: Readonly<Record<Scale, string>> = {
  unit: 'score',
  'one-to-five': 'match score (1 to 5)',
};

function workLine({ turns, usage }: RunTotals, rates: Rates): string {
  const { promptTokens, completionTokens } = usage;
  return joined(
    ' · ',
    `${grouped(turns)} turns`,
    rates && `${rate(rates.turnsPerSecond)} turns and ${rate(rates.callsPerSecond)} calls a second`,
    `${countText(promptTokens)} prompt and ${countText(completionTokens)} completion tokens`,
  );
}

/** With a budget, the amount spent includes the calls of unfinished questions. */
function moneyLine({ totals, summary: { samples, budget } }: RunProgress): Texts {
  const ended = endedCount(totals);
  const { cost } = totals;
  const { cap, spent } = budget;
  if (ended === 0 && cap.usd === null && cap.tokens === null) return null;
  const factor = samples / Math.max(1, ended);
  const expected = addCost(cost, { usd: cost.usd * (factor - 1), unpricedCalls: 0 });
  return joined(
    ' · ',
    cap.usd === null ? costText(cost) : `${dollars(spent.usd)} of ${dollars(cap.usd)} spent`,
    ended > 0 && ended < samples && cost.usd > 0 && `about ${costText(expected)} expected in all`,
    cap.tokens !== null && `${countText(spent.tokens)} of ${countText(cap.tokens)} tokens spent`,
  );
}

function timeLine(progress: RunProgress, rates: Rates): string {
  const left = timeLeftMs(progress, rates);
  const { deadline } = progress.summary;
  return joined(
    ' · ',
    left !== null && `about ${duration(left)} left`,
    deadline !== null && `ends at ${deadline} at the latest`,
  );
}

const tokensOf = ({ usage }: Pick<RunTotals, 'usage'>): number =>
  usage.promptTokens + usage.completionTokens;

const rate = (perSecond: number): string =>
  perSecond < 10 ? perSecond.toFixed(1) : grouped(perSecond);
