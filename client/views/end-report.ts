import {
  endedForOutsideReasons,
  type Result,
  addedAnswerers,
  answererText,
} from '../../domain/agent/question-result.js';
import {
  counted,
  grouped,
  joined,
  preview,
  said,
  type Texts,
  sizeText,
} from '../../domain/formats/text.js';
import { isSameSample, type RunId } from '../../domain/ids.js';
import {
  cacheEffect,
  cacheText,
  costText,
  type Price,
  type Usage,
} from '../../domain/models/usage.js';
import { scoresFile } from '../../domain/runs/run-manifest.js';
import {
  endedCount,
  outsideFailures,
  scoreMeans,
  type RunTotals,
} from '../../domain/runs/run-totals.js';
import type { ScoreLedger } from '../../domain/scoring/score-ledger.js';
import { meanNames, onScale, scaleOf } from '../../domain/scoring/verdict.js';
import { scoreSchema, type Score } from '../../domain/scoring/score.js';
import type { RunFolder } from '../runs/run-folder.js';
import { priceRemedy } from '../services/user-error.js';
import { headlineLines } from './sections/ledger.js';
import { alignColumns } from './terminal.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import type { RunEnd } from '../runs/watch-run.js';
import { holdText, runStateText } from './run-text.js';
import type { DatabaseUse } from '../../storage/temporal-database.js';

/**
 * The totals of a run that is done. Throws UserError where the run failed, was cancelled, or waits for a command.
 * @param again - the command that continues it
 */
export function totalsOf(
  run: RunId,
  end: RunEnd,
  again = `\`turnwise run\` with the same arguments and --run ${run}`,
): RunTotals {
  const remedy = `what has ended is kept, and ${again} continues it`;
  switch (end.kind) {
    case 'done':
      return end.totals;
    case 'cancelled':
      throw new UserError(
        `run ${run} is ${runStateText(run, 'cancelled', null)}; ${remedy}`,
        exitStatus.doneWithOutsideFailures,
      );
    case 'parked':
      throw new UserError(
        `run ${run} is ${runStateText(run, 'running', { kind: 'open', progress: end.progress, slow: [] })}: ${holdText(run, end.progress) ?? ''}; ${remedy}`,
        exitStatus.runWaits,
      );
    case 'failed':
      throw new UserError(
        `run ${run} is stopped: ${end.message}; ${remedy}`,
        exitStatus.serviceUnreachable,
      );
  }
}

/** A run that has ended, or the ended part of a run. */
export interface EndedPart {
  /** Questions times epochs. */
  readonly samples: number;
  readonly totals: RunTotals;
  readonly results: readonly Result[];
  /** Of its model. Null if unknown. */
  readonly price: Price | null;
}

/** The end of a run, as lines for the terminal. */
export const endReport = (ended: EndedPart & { readonly ledger: ScoreLedger }): string =>
  joined(
    '\n',
    outcomesLine(ended),
    headlineLines(ended.ledger),
    workLine(ended.totals, ended.price),
    answeredBy(ended.results),
    judgedLine(ended.totals),
    failureLines(ended),
  );

/** The same of a run whose results are too many to be read each time: from its totals. */
export const largeReport = ({ samples, totals, price }: Omit<EndedPart, 'results'>): string =>
  joined(
    '\n',
    outcomesLine({ samples, totals }),
    scoreMeans(totals.scores).map(
      ({ scale, mean, scored }) =>
        `${meanNames[scale]} ${mean.toFixed(3)} over ${grouped(scored)} scored`,
    ),
    workLine(totals, price),
    judgedLine(totals),
  );

/** What the latest results of such a run add to it. */
export const latestReport = ({ results }: Pick<EndedPart, 'results'>): readonly string[] => {
  const failed = results.filter(({ outcome }) => endedForOutsideReasons[outcome.kind]).length;
  return said([answeredBy(results), failureLinesOf(failed, results)]);
};

/** The lines that need only a run's totals. */
export const totalsReport = (totals: RunTotals): string =>
  joined('\n', outcomesLine({ samples: endedCount(totals), totals }), workLine(totals, null));

/** The report of a single question whose answer has already been printed. */
export const questionReport = ({ totals, results, price }: EndedPart): string =>
  joined('\n', workLine(totals, price), answeredBy(results), judgedLine(totals));

function outcomesLine({ samples, totals }: Pick<EndedPart, 'samples' | 'totals'>): string {
  const { answered = 0, ...others } = totals.outcomes;
  const unfinished = samples - endedCount(totals);
  return joined(
    ', ',
    `${answered} of ${samples} questions answered`,
    Object.entries(others).map(([kind, count]) => `${count} ${kind}`),
    unfinished > 0 && `${unfinished} not ended`,
  );
}

/** Turns, calls, tokens and cost. @param price - of the model; null if it is unknown */
export function workLine(totals: RunTotals, price: Price | null): string {
  const { turns, usage } = totals;
  const { calls, retries, promptTokens, completionTokens } = usage;
  const { reasoningTokens, cacheHits, lostTokens } = usage;
  return joined(
    ' · ',
    counted(turns, 'turn'),
    `${counted(calls, 'model call')}${retries > 0 ? ` (${grouped(retries)} repeated)` : ''}`,
    `${grouped(promptTokens)} prompt tokens${cachedPart(usage, price)}`,
    `${grouped(completionTokens)} completion tokens${reasoningTokens > 0 ? ` (${grouped(reasoningTokens)} reasoning)` : ''}`,
    lostTokens > 0 && `up to ${grouped(lostTokens)} tokens of calls without a reply`,
    cacheHits > 0 && `${grouped(cacheHits)} replies from the cache`,
    costLine(totals),
  );
}

function cachedPart(usage: Usage, price: Price | null): string {
  const { promptTokens: prompt, completionTokens: completion } = usage;
  const { cachedTokens: cached, cacheWrittenTokens: cacheWritten } = usage;
  const effect = cacheEffect({ prompt, completion, cached, cacheWritten }, price);
  return effect === null ? '' : ` (${grouped(cached)} cached: ${cacheText(effect)})`;
}

/** An unknown price is reported as unknown, not as zero. */
function costLine(totals: RunTotals): string {
  const { cost } = totals;
  if (cost.unpricedCalls === 0) return costText(cost);
  const known = cost.usd === 0 ? 'cost unknown' : costText(cost);
  return `${known} ${priceRemedy}`;
}

/** What judging took, which is in none of the other figures. */
export function judgedLine({ judged: { usage, cost } }: RunTotals): Texts {
  const { calls, cacheHits, promptTokens, completionTokens } = usage;
  return (
    calls + cacheHits > 0 &&
    joined(
      ' · ',
      `judged by ${grouped(calls)} more calls`,
      `${grouped(promptTokens)} prompt tokens`,
      `${grouped(completionTokens)} completion tokens`,
      cacheHits > 0 && `${grouped(cacheHits)} replies from the cache`,
      costText(cost),
    )
  );
}

/** The models, as their providers name them; simulated ones are marked. */
export function answeredBy(results: readonly Result[]): Texts {
  const models = [...new Set(results.flatMap(({ model }) => model ?? []))].sort();
  return [
    models.length > 0 && `answered by ${models.join(', ')}`,
    answererText(addedAnswerers(results.flatMap(({ answeredBy }) => answeredBy ?? []))),
  ];
}

/** How many questions ended for outside reasons, and an example message of each reason; empty if none did. */
export function failureLines({
  totals,
  results,
}: Pick<EndedPart, 'totals' | 'results'>): readonly string[] {
  return failureLinesOf(outsideFailures(totals), results);
}

/** What helps questions that ended for outside reasons; nothing if there are none. */
export const retryLine = (run: RunId, totals: RunTotals): readonly string[] =>
  outsideFailures(totals) === 0
    ? []
    : [`once the reason is mended, \`turnwise retry ${run}\` asks them again`];

function failureLinesOf(count: number, results: readonly Result[]): readonly string[] {
  if (count === 0) return [];
  const reasons = results.flatMap(({ outcome }) =>
    outcome.kind === 'infra-error' ? [outcome] : [],
  );
  const kinds = [...new Set(reasons.map(({ failure }) => failure))];
  return [
    `${count} ended for outside reasons and enter no mean${kinds.length > 0 ? ':' : ''}`,
    ...kinds.map((kind) => {
      const [first, ...others] = reasons.filter(({ failure }) => failure === kind);
      return `  ${1 + others.length} × ${kind}: ${first?.message ?? ''}`;
    }),
  ];
}

const scoreText = (found: Score | undefined): string =>
  found === undefined || found.score === null
    ? '–'
    : onScale(found.score, scaleOf(found.scorer)).toFixed(2);

/** The width of the columns for score and turns, with the gaps. */
const narrowColumns = 17;

/** A line for each question, at most `width` wide: score, turns, question, answer. For small runs. */
export async function resultsTable(folder: RunFolder, width: number): Promise<string> {
  const results = await folder.results();
  const scores = await folder.readLines(scoresFile, scoreSchema);
  const textWidth = Math.max(40, width - narrowColumns);
  const answerWidth = Math.floor(textWidth * 0.4);
  const rows = (await folder.items()).flatMap(({ uuid, question }) =>
    results
      .filter((result) => result.uuid === uuid)
      .map((result) => [
        scoreText(scores.find((score) => isSameSample(score, result))),
        result.turns,
        preview(question, textWidth - answerWidth),
        preview(result.answer ?? `(${result.outcome.kind})`, answerWidth),
      ]),
  );
  return alignColumns([['score', 'turns', 'question', 'answer'], ...rows]);
}

/** A server writes its file every few megabytes: less is no growth that could be told. */
const leastBytes = 1e6;

/** What a run has added to the database of the embedded server; null where that is next to nothing, or unknown. */
export function growthText(before: DatabaseUse | null, after: DatabaseUse | null): string | null {
  if (before === null || after === null) return null;
  const grownBy = usedOf(after) - usedOf(before);
  if (grownBy < leastBytes) return null;
  return `Temporal's database grew by about ${sizeText(grownBy)}, to ${sizeText(after.bytes)}; it keeps histories for TURNWISE_HISTORY_DAYS`;
}

const usedOf = ({ bytes, freeBytes }: DatabaseUse): number => bytes - freeBytes;
