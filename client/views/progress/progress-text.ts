import { outcomeKinds } from '../../../domain/agent/question-result.js';
import { addedAnswerers, answererText } from '../../../domain/agent/who-answered.js';
import {
  countText,
  duration,
  grouped,
  joined,
  said,
  type Texts,
} from '../../../domain/formats/text.js';
import type { RunId } from '../../../domain/ids.js';
import { addCost, costText, dollars } from '../../../domain/models/usage.js';
import type { ProgressRates, RunProgress } from '../../../domain/runs/run-progress.js';
import {
  endedCount,
  outsideFailures,
  scoreMeans,
  type RunTotals,
} from '../../../domain/runs/run-totals.js';
import { slowQuestionText } from '../../../domain/runs/slow-question.js';
import type { Scale } from '../../../domain/scoring/scale.js';
import type { Headline } from '../../../domain/scoring/score-ledger.js';
import type { OpenState, RunSnapshot } from '../../runs/status/run-snapshot.js';
import { failureLines } from '../end-report.js';
import { accountLine, holdText } from '../run-text.js';

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

/** Null where it is unknown, and while the run is held. */
function timeLeftMs({ totals, summary }: RunProgress, rates: Rates): number | null {
  const left = summary.samples - endedCount(totals);
  if (rates === null || left === 0 || summary.parked) return null;
  return (left / rates.endedPerSecond) * 1000;
}

const tokensOf = ({ usage }: Pick<RunTotals, 'usage'>): number =>
  usage.promptTokens + usage.completionTokens;

const rate = (perSecond: number): string =>
  perSecond < 10 ? perSecond.toFixed(1) : grouped(perSecond);
