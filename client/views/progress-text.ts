import { endedForOutsideReasons, outcomeKinds } from '../../domain/agent/question-result.js';
import { countText, duration, grouped } from '../../domain/formats/text.js';
import type { RunId } from '../../domain/ids.js';
import { addCost, costText, dollars } from '../../domain/models/usage.js';
import type { ProgressRates, RunProgress } from '../../domain/runs/run-progress.js';
import { endedCount, type RunTotals } from '../../domain/runs/run-totals.js';
import { slowQuestionText, type SlowQuestion } from '../../domain/runs/slow-question.js';
import type { Headline } from '../../domain/scoring/score-ledger.js';
import { holdText } from './run-text.js';

/** The state of a run at one moment, as a display shows it. */
export interface ProgressMoment {
  readonly run: RunId;
  readonly progress: RunProgress;
  /** Null until rates can be estimated. */
  readonly rates: ProgressRates | null;
  /** The score so far; null if the run's files are on another machine. */
  readonly headline: Headline | null;
  /** Why questions ended for outside reasons, a line each. */
  readonly failures: readonly string[];
  /** The questions in flight without progress for the longest time. */
  readonly slowest: readonly SlowQuestion[];
  /** The limits that slow the run down at the moment, a line each. */
  readonly limits: readonly string[];
  readonly nowMs: number;
}

/** A run's progress on one line: `12/40 done · 1 failed · 8 in flight · 71 turns · 35k tokens · $0.12 · about 2 min left`. */
export function progressText(moment: ProgressMoment): string {
  const { run, progress } = moment;
  const { totals, inFlight, summary } = progress;
  const ended = endedCount(totals);
  const failed = outsideFailures(totals);
  const left = timeLeftMs(moment);
  const hold = holdText(run, progress);
  return [
    `${ended - failed}/${summary.samples} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(inFlight.length > 0 ? [`${inFlight.length} in flight`] : []),
    `${totals.turns} turns`,
    `${countText(tokensOf(totals))} tokens`,
    ...(ended > 0 ? [costText(totals.cost)] : []),
    ...(left === null ? [] : [`about ${duration(left)} left`]),
    ...(hold === null ? [] : [hold]),
  ].join(' · ');
}

/** A run's progress on several lines, without empty ones. */
export function progressLines(moment: ProgressMoment): readonly string[] {
  const { run, progress, failures, slowest, limits, nowMs } = moment;
  const hold = holdText(run, progress);
  return [
    headLine(progress),
    outcomesLine(progress.totals),
    ...failures,
    ...scoreLines(moment),
    workLine(moment),
    moneyLine(progress),
    ...limits,
    ...timeLines(moment),
    // While the run is held, all questions are slow for that reason.
    ...(hold === null ? slowest.map((question) => slowQuestionText(question, nowMs)) : [hold]),
  ].filter((line) => line !== '');
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

function scoreLines({ headline, progress }: ProgressMoment): readonly string[] {
  if (headline?.score) {
    const { mean, interval } = headline.score;
    return [
      `score ${mean.toFixed(3)} so far, 95 % between ${interval.low.toFixed(3)} and ${interval.high.toFixed(3)}, of ${grouped(headline.scored)} scored`,
    ];
  }
  const { total, scored } = progress.totals.scores;
  return scored === 0 ? [] : [`score ${(total / scored).toFixed(3)} so far, of ${grouped(scored)}`];
}

function workLine({ progress: { totals }, rates }: ProgressMoment): string {
  const { promptTokens, completionTokens } = totals.usage;
  return [
    `${grouped(totals.turns)} turns`,
    ...(rates === null
      ? []
      : [`${rate(rates.turnsPerSecond)} turns and ${rate(rates.callsPerSecond)} calls a second`]),
    `${countText(promptTokens)} prompt and ${countText(completionTokens)} completion tokens`,
  ].join(' · ');
}

/** With a budget, the amount spent includes the calls of unfinished questions. */
function moneyLine({ totals, summary: { samples, budget } }: RunProgress): string {
  const ended = endedCount(totals);
  const { cost } = totals;
  const { cap, spent } = budget;
  if (ended === 0 && cap.usd === null && cap.tokens === null) return '';
  const factor = samples / Math.max(1, ended);
  const expected = addCost(cost, { usd: cost.usd * (factor - 1), unpricedCalls: 0 });
  return [
    cap.usd === null ? costText(cost) : `${dollars(spent.usd)} of ${dollars(cap.usd)} spent`,
    ...(ended > 0 && ended < samples && cost.usd > 0
      ? [`about ${costText(expected)} expected in all`]
      : []),
    ...(cap.tokens === null
      ? []
      : [`${countText(spent.tokens)} of ${countText(cap.tokens)} tokens spent`]),
  ].join(' · ');
}

function timeLines(moment: ProgressMoment): readonly string[] {
  const left = timeLeftMs(moment);
  const { deadline } = moment.progress.summary;
  const texts = [
    ...(left === null ? [] : [`about ${duration(left)} left`]),
    ...(deadline === null ? [] : [`ends at ${deadline} at the latest`]),
  ];
  return texts.length === 0 ? [] : [texts.join(' · ')];
}

/** Questions that ended for reasons outside the model. */
export const outsideFailures = (totals: RunTotals): number =>
  outcomeKinds
    .filter((kind) => endedForOutsideReasons[kind])
    .reduce((sum, kind) => sum + (totals.outcomes[kind] ?? 0), 0);

/** Null if it cannot be estimated, and while the run does not make progress. */
function timeLeftMs({ progress, rates }: ProgressMoment): number | null {
  const { totals, summary } = progress;
  const left = summary.samples - endedCount(totals);
  if (rates === null || left === 0 || summary.parked) return null;
  return (left / rates.endedPerSecond) * 1000;
}

const tokensOf = ({ usage }: RunTotals): number => usage.promptTokens + usage.completionTokens;

const rate = (perSecond: number): string =>
  perSecond < 10 ? perSecond.toFixed(1) : grouped(perSecond);
