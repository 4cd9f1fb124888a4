import { sum } from '../../domain/budget/amount.js';
import {
  duration,
  grouped,
  instantText,
  joined,
  said,
  type Texts,
} from '../../domain/formats/text.js';
import type { RunId, SampleKey } from '../../domain/ids.js';
import { dollars } from '../../domain/models/usage.js';
import { accountSummaryText } from '../../domain/rate-limits/account-state.js';
import { waitReasons } from '../../domain/runs/question-ref.js';
import {
  endedReason,
  runCondition,
  type LiveState,
  type OpenState,
  type RunCondition,
  type RunProgress,
  type RunSummary,
} from '../../domain/runs/run-progress.js';
import { noteText, type Note, type RunManifest } from '../../domain/runs/run-manifest.js';
import type { LatencySummary, RunTools } from '../../domain/runs/run-figures.js';
import { decisionNames, type OpenQuestion, type Ruling } from '../../domain/scoring/ruling.js';
import {
  isStuck,
  slowQuestionText,
  waitLabels,
  type SlowQuestion,
} from '../../domain/runs/workflow-details.js';
import type { Tone } from '../services/tell.js';
import { openText } from '../runs/rule-run.js';
import type { ProviderAccount, RunSnapshot } from '../runs/status/run-snapshot.js';

/** A run that is held waits for a person. */
export const conditionTone = (condition: RunCondition): Tone | undefined =>
  condition === 'held' ? 'warning' : undefined;

/** What a run does, and why. @param live - null where it has ended */
export function runStateText(
  run: RunId,
  status: RunManifest['status'],
  live: LiveState | null,
): string {
  const reason = live === null ? endedReason(status) : liveReason(run, live);
  return `${runCondition(status, live)}${reason}`;
}

function liveReason(run: RunId, live: LiveState): string {
  switch (live.kind) {
    case 'no-services':
      return ': no services run; `turnwise up`, or the command that started it, continues it';
    case 'not-open':
      return `: \`turnwise run\` with the same arguments and --run ${run} continues it`;
    case 'stuck':
      return `: ${live.why}`;
    case 'silent':
      return live.workers === 0
        ? ': no worker runs; `turnwise up` or `turnwise worker` starts one'
        : ': workers run, but none has answered: they are busy, or their logs give the reason';
    case 'open':
      return ` · ${summaryText(live.progress.summary)}`;
  }
}

/** Why the run, or a part of it, does not make progress, and the commands that help. */
export function runLiveLines(snapshot: RunSnapshot): readonly string[] {
  const { run, live, stored, takenAtMs } = snapshot;
  if (live?.kind !== 'open') return [];
  const hold = holdText(run, live.progress);
  // While the run is held, all questions wait for the same reason.
  if (hold !== null) return [hold];
  const stuck = stuckQuestions(snapshot, live);
  const turnMs = stored?.turnMs ?? null;
  const usual = turnMs === null ? '' : `; a turn usually takes ${seconds(turnMs)}`;
  return said([
    waitingLines(run, live.progress),
    stuck.length > 0 && [
      `no progress for a long time in${usual}:`,
      stuck.map((question) => `  ${slowQuestionText(question, takenAtMs)}`),
      `\`turnwise cancel ${run} QUESTION\` ends one of them, and \`turnwise retry ${run} --question QUESTION\` then asks it again`,
    ],
  ]);
}

/** Questions in flight without a new turn for much longer than turns take. */
export const stuckQuestions = (
  { stored, takenAtMs }: RunSnapshot,
  { slow }: OpenState,
): readonly SlowQuestion[] =>
  slow.filter(
    (question) =>
      question.doing.kind === 'stuck' || isStuck(question, stored?.turnMs ?? null, takenAtMs),
  );

/** `api.openai.com, model gpt-4o: 500 requests a minute · 12 in flight · 1 worker`. */
export const accountLine = ({ baseUrl, model, summary }: ProviderAccount): string =>
  `${new URL(baseUrl).host}, model ${model}: ${accountSummaryText(summary)}`;

/** A question in a sentence. */
export const questionName = ({ uuid, epoch }: SampleKey): string =>
  `question ${uuid}${epoch > 1 ? ` (epoch ${epoch})` : ''}`;

/** `by ann, 2026-11-21 17:46 UTC`. */
export const byText = ({ by, at }: Pick<Note, 'by' | 'at'>): string =>
  `by ${by}, ${instantText(at)}`;

/** `note 3fa9c1d2 on question q7 by ann, 2026-11-21 17:46 UTC: label-error: the gold has a typo`. */
export const noteLine = (note: Note): string =>
  `note ${note.id}${note.about ? ` on ${questionName(note.about)}` : ''} ${byText(note)}: ${noteText(note).replaceAll('\n', '\n  ')}`;

/** `ruling 3fa9c1d2 on question q7 by ann, 2026-11-21 17:46 UTC: excluded: the disk was full`. */
export const rulingLine = (ruling: Ruling): string =>
  `ruling ${ruling.id} on ${questionName(ruling.about)} ${byText(ruling)}: ${decisionNames[ruling.decision]}: ${ruling.reason.replaceAll('\n', '\n  ')}`;

/** What is open for a ruling, and what was ruled. */
export const rulingLines = (
  open: readonly OpenQuestion[],
  rulings: readonly Ruling[],
): readonly string[] => [
  ...open.map((each) => `open for a ruling: ${openText(each)}`),
  ...rulings.map(rulingLine),
];

/** With a decimal below ten seconds, since turns may be short. */
const seconds = (ms: number): string =>
  ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms);

/** Questions that wait while others make progress, a line for each reason. */
function waitingLines(run: RunId, { waiting }: RunProgress): readonly string[] {
  const others = waitReasons.flatMap((reason) => {
    if (reason === 'outage') return [];
    const [first, ...others] = waiting.filter((question) => question.reason === reason);
    if (first === undefined) return [];
    const { message, until } = first;
    if (reason === 'batch') return [`${1 + others.length} waiting: ${message}`];
    const then =
      until === null
        ? `\`turnwise resume ${run}\` retries them`
        : `they retry at ${new Date(until).toISOString()} at the latest, or at once with \`turnwise resume ${run}\``;
    return [`${1 + others.length} waiting: ${waitLabels[reason]} (${message}); ${then}`];
  });
  return [...others, ...outageTexts(run, waiting)];
}

/** Lines for the terminal: the latency of statements and searches, their results, and the errors. Zero counts are left out. */
export function runToolsText(tools: RunTools): readonly string[] {
  const latency = (name: string, ms: LatencySummary | null): Texts =>
    ms && `${name}: ${ms.calls}, median ${ms.p50} ms, 95 % within ${ms.p95} ms`;
  const errors = (name: string, counts: RunTools['sqlErrors']): Texts => {
    const kinds = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
    return kinds.length > 0 && `${name}: ${kinds.join(', ')}`;
  };
  const some = (count: number, what: string): Texts => count > 0 && `${count} ${what}`;
  const looked = tools.sqlMs !== null || tools.searchMs !== null;
  const { firstNonEmptyTurn: first, questionsWithoutResult: without } = tools;
  const results = said([
    some(tools.emptyResults, 'empty'),
    some(tools.rowsCut, 'shown in part'),
    some(tools.repeatedQueries, 'asked for again'),
    first !== null && `the first in turn ${first} at the median`,
    some(without, without === 1 ? 'question without any' : 'questions without any'),
  ]);
  return said([
    latency('SQL', tools.sqlMs),
    latency('searches', tools.searchMs),
    looked && results.length > 0 && `results: ${results.join(', ')}`,
    errors('SQL errors', tools.sqlErrors),
    errors('search errors', tools.searchErrors),
    errors('image errors', tools.imageErrors),
    errors('calculation errors', tools.calculationErrors),
    errors('unreadable replies', tools.parseErrors),
    some(tools.hits.outside, `of ${tools.hits.all} hits in other papers than the question names`),
    some(tools.ungroundedAnswers, 'answered with values that no observation shows'),
    some(tools.answersCutOff, 'with an answer that was cut off (--max-tokens)'),
  ]);
}

/** A run's summary on one line: `3 of 40 questions ended · 5 in flight, 2 of them waiting · at most 8 · $0.31 of $2.00`. */
export function summaryText(summary: RunSummary): string {
  const { samples, ended, inFlight, waiting, concurrency, deadline } = summary;
  return joined(
    ' · ',
    `${ended} of ${samples} questions ended`,
    `${inFlight} in flight${waiting > 0 ? `, ${waiting} of them waiting` : ''}`,
    `at most ${concurrency} at once`,
    budgetTexts(summary),
    deadline !== null && `until ${deadline}`,
  );
}

const budgetTexts = ({ budget: { cap, spent } }: RunSummary): Texts => [
  cap.usd !== null && `${dollars(spent.usd)} of ${dollars(cap.usd)} spent`,
  cap.tokens !== null && `${grouped(spent.tokens)} of ${grouped(cap.tokens)} tokens`,
];

type HeldRun = Pick<RunProgress, 'summary' | 'waiting' | 'failedInRow'>;

/** Why no question of the run makes progress, and the command that helps; null if the run is not held. */
export function holdText(run: RunId, { summary, waiting, failedInRow }: HeldRun): string | null {
  const messageOf = (wanted: string): string =>
    waiting.find(({ reason }) => reason === wanted)?.message ?? '';
  switch (summary.heldBy) {
    case 'stopping':
      return 'ending the remaining questions';
    case 'paused':
      return `paused: \`turnwise resume ${run}\` continues it`;
    case 'quota':
      return `${waitLabels.quota} (${messageOf('quota')}); after a top-up \`turnwise resume ${run}\` continues it at once; otherwise it retries every ten minutes`;
    case 'budget':
      return `${waitLabels.budget} (${joined(', ', budgetTexts(summary))}): \`turnwise tune ${run} ${raised(summary, waiting)}\` continues it`;
    case 'outage':
      return outageTexts(run, waiting).join('\n');
    case 'failures':
      if (failedInRow?.outcome !== undefined) {
        const { count, outcome, message } = failedInRow;
        return `held: the first ${count} questions all ended as ${outcome}: ${sentence(message)} Settings of the run may be the reason: \`turnwise cancel ${run}\` ends it, and with other settings it is another run; \`turnwise resume ${run}\` goes on as it is`;
      }
      return `held: ${failedInRow?.count ?? 0} questions in a row ended with the same failure: ${sentence(failedInRow?.message ?? '')} Once that is mended, \`turnwise resume ${run}\` goes on, and \`turnwise retry ${run} --outcome infra-error\` asks them again`;
    case null:
      return null;
  }
}

/** Questions that wait in an outage, a line for each failure. */
function outageTexts(run: RunId, waiting: RunProgress['waiting']): readonly string[] {
  const inOutages = waiting.filter(({ reason }) => reason === 'outage');
  const failures = [...new Set(inOutages.map(({ failure }) => failure))];
  return failures.map((failure) => {
    const questions = inOutages.filter((question) => question.failure === failure);
    const message = questions.at(-1)?.message ?? '';
    const [who, goesOn] =
      questions.length === 1
        ? ['a question waits', 'It goes on by itself']
        : [`${questions.length} questions wait`, 'They go on by themselves'];
    return `${who}: ${sentence(message)} ${goesOn} when that works, which is tried again and again; \`turnwise resume ${run}\` tries at once`;
  });
}

/** With a full stop at its end. */
const sentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`);

/** The flag that raises the exhausted budget, with twice as much or at least what the questions that wait for it need. */
function raised(
  { budget: { cap, spent, reserved } }: RunSummary,
  waiting: RunProgress['waiting'],
): string {
  const share = (of: number, all: number | null): number => (all === null ? -1 : of / all);
  const needs = waiting.flatMap(({ reason, need }) => (reason === 'budget' ? (need ?? []) : []));
  const least = sum([spent, reserved, ...needs]);
  return share(spent.usd, cap.usd) >= share(spent.tokens, cap.tokens)
    ? `--budget-usd ${threeDigits(Math.max(2 * (cap.usd ?? 0), least.usd))}`
    : `--budget-tokens ${threeDigits(Math.max(2 * (cap.tokens ?? 0), least.tokens))}`;
}

/** Rounded up. */
function threeDigits(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value || 1)) - 2);
  return Number((Math.ceil(Number((value / unit).toPrecision(12))) * unit).toPrecision(3));
}
