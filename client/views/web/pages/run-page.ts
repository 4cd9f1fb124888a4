import type { Result } from '../../../../domain/agent/question-result.js';
import { preview } from '../../../../domain/formats/text.js';
import { costText } from '../../../../domain/models/usage.js';
import { accountSummaryText } from '../../../../domain/rate-limits/account-state.js';
import {
  addPoint,
  progressPoint,
  ratesOf,
  timeLeftMs,
  type ProgressPoint,
  type RunProgress,
  runCondition,
  type OpenState,
} from '../../../../domain/runs/run-progress.js';
import { type RunId, keyText, type SampleKey } from '../../../../domain/ids.js';
import { notesAbout } from '../../../../domain/runs/run-manifest.js';
import { slowQuestionText } from '../../../../domain/runs/workflow-details.js';
import { endedCount, outsideFailures, type RunTotals } from '../../../../domain/runs/run-totals.js';
import type { ScoreLedger } from '../../../../domain/scoring/score-ledger.js';
import { resultsIn } from '../../../../domain/scoring/answer.js';
import { countsOf } from '../../../../domain/statistics/means.js';
import { samplesOf, type RunFolder } from '../../../runs/run-folder.js';
import type { ProviderAccount, RunSnapshot, StoredRun } from '../../../runs/status/run-snapshot.js';
import { rulingState } from '../../../runs/scoring/run-scores.js';
import { scorerOf } from '../../../runs/scoring/score-run.js';
import { shownLimits } from '../../../runs/steering/tuning-options.js';
import { factsSection, headlineMarkup, sectionContent } from '../../page/section-markup.js';
import type { ReportedRun } from '../../../runs/reported-run.js';
import { ledgerSection } from '../../sections/ledger.js';
import { runLiveLines, runStateText } from '../../run-text.js';
import type {
  AccountData,
  LiveRunData,
  NamedCount,
  RunData,
  NewTurn,
  PlotsData,
} from '../page-data.js';
import { pagePaths, documentPaths, partPaths } from '../../page/page-paths.js';
import { runIn, type ViewHome } from '../view-home.js';
import { viewPage, type ViewDocument, type ViewPage } from '../view-page.js';
import { meansOf, scoresIn } from './runs-page.js';
import type { StoredTurn } from '../../../../domain/agent/turn-record.js';
import { pageTurn } from '../../page/page-question.js';
import { makeReport } from '../../page/write-page.js';
import { callsIn } from '../../page/pack-run.js';
import { markup, type Markup } from '../../page/markup.js';
import { callsPlot } from '../../page/plots/call-plots.js';
import { plotsOf, runPlots } from '../../page/plots/run-plots.js';

/** Half of what an event may take until it is shown. */
const refreshMs = 1_000;
/** A run that cannot go on by itself is looked at less often. */
const refreshUnservedMs = 5_000;

const causesShown = 20;

/** A run: under way from the snapshot that `status` shows, ended from its files. */
export function runPage(home: ViewHome): ViewPage {
  /** Of each run, how it went on since it was first looked at. */
  const points = new Map<RunId, readonly ProgressPoint[]>();
  const leftMsOf = ({ run, takenAtMs }: RunSnapshot, progress: RunProgress): number | null => {
    const point = progressPoint(progress.totals, takenAtMs);
    const known = addPoint(points.get(run) ?? [], point);
    points.set(run, known);
    return timeLeftMs(progress, ratesOf(known, point));
  };
  return {
    path: pagePaths.run,
    load: async (parameters) => {
      const run = runIn(parameters);
      const folder = home.folder(run);
      const { status } = await folder.manifest();
      const temporalUrl = await home.temporalPage(run);
      const notes = notesAbout(await folder.notes(), null);
      if (status !== 'running') {
        const data: RunData = { ...endedRun(await home.stored(run)), notes, temporalUrl };
        return { data, refreshMs: null };
      }
      const snapshot = await home.reader.fresh(run).catch((error: unknown) => {
        home.lookForServices(true);
        throw error;
      });
      const data: RunData = { ...(await openRun(folder, snapshot, leftMsOf)), notes, temporalUrl };
      return { data, refreshMs: data.live ? refreshMs : refreshUnservedMs };
    },
  };
}

type OwnData = Omit<RunData, 'notes' | 'temporalUrl'>;

function endedRun(reported: ReportedRun): OwnData {
  const { manifest, totals, ledger } = reported;
  const results = resultsIn(reported.answers);
  return {
    ...figuresOf(totals, results),
    run: reported.run,
    state: runCondition(manifest.status, null),
    stateText: runStateText(reported.run, manifest.status, null),
    lines: [],
    samples: samplesOf(manifest),
    scores: scoresIn(ledger.headlines),
    elapsedMs: Date.parse(manifest.endedAt ?? manifest.startedAt) - Date.parse(manifest.startedAt),
    live: null,
    sections: sectionsOf({ ...reported, results }, ledger),
  };
}

type LeftMsOf = (snapshot: RunSnapshot, progress: RunProgress) => number | null;

async function openRun(
  folder: RunFolder,
  snapshot: RunSnapshot,
  leftMsOf: LeftMsOf,
): Promise<OwnData> {
  const { stored, live } = snapshot;
  // The folder has a manifest, so the snapshot has what is stored.
  const { manifest, figures, results, ledger } = stored as StoredRun;
  const totals = live?.kind === 'open' ? live.progress.totals : figures.totals;
  return {
    ...figuresOf(totals, results),
    run: folder.run,
    state: runCondition(manifest.status, live),
    stateText: runStateText(folder.run, manifest.status, live),
    lines: runLiveLines(snapshot),
    samples: samplesOf(manifest),
    scores: ledger ? scoresIn(ledger.headlines) : meansOf(totals),
    elapsedMs: snapshot.takenAtMs - Date.parse(manifest.startedAt),
    live:
      live?.kind === 'open'
        ? await liveRun(folder, snapshot, live, leftMsOf(snapshot, live.progress))
        : null,
    sections:
      ledger &&
      sectionsOf(
        {
          ...{ manifest, results, totals, rulings: rulingState(stored as StoredRun) },
          scorer: await scorerOf(folder, stored as StoredRun),
        },
        ledger,
      ),
  };
}

function figuresOf(
  totals: RunTotals,
  results: readonly Result[],
): Pick<RunData, 'ended' | 'cost' | 'outcomes' | 'failed' | 'failures'> {
  return {
    ended: endedCount(totals),
    cost: costText(totals.cost),
    outcomes: Object.entries(totals.outcomes).map(([name, count]) => ({ name, count })),
    failed: outsideFailures(totals),
    failures: causesIn(results),
  };
}

/** By type, with the message of the latest. Of a run of thousands of questions, those of the latest results. */
function causesIn(results: readonly Result[]): readonly NamedCount[] {
  const failures = results.flatMap(({ outcome }) =>
    outcome.kind === 'infra-error' ? [outcome] : [],
  );
  const messageOf = new Map(failures.map(({ failure, message }) => [failure, message]));
  return [...countsOf(failures.map(({ failure }) => failure))]
    .map(([failure, count]) => ({
      name: `${failure}: ${preview(messageOf.get(failure) ?? '', 200)}`,
      count,
    }))
    .sort((a, b) => b.count - a.count)
    .slice(0, causesShown);
}

const sectionsOf = (
  run: Parameters<typeof factsSection>[0],
  ledger: ScoreLedger,
): RunData['sections'] => ({
  headline: headlineMarkup(ledger).text,
  facts: factsSection(run).text,
  ledger: sectionContent(ledgerSection(ledger)).text,
});

async function liveRun(
  folder: RunFolder,
  { accounts, takenAtMs, stored }: RunSnapshot,
  { progress, slow }: OpenState,
  leftMs: number | null,
): Promise<LiveRunData> {
  const { concurrency, inFlight, waiting, deadline, budget } = progress.summary;
  const { cap, spent, reserved } = budget;
  return {
    concurrency,
    inFlight,
    waiting,
    leftMs,
    deadline,
    budget: {
      usd: { spent: spent.usd, reserved: reserved.usd, cap: cap.usd },
      tokens: { spent: spent.tokens, reserved: reserved.tokens, cap: cap.tokens },
    },
    limits: shownLimits({ concurrency, budget: cap, deadline }),
    accounts: accounts.map(accountData),
    slow: slow.map((question) => ({
      uuid: question.uuid,
      epoch: question.epoch,
      text: slowQuestionText(question, takenAtMs),
    })),
    turns: await newestTurns(folder, progress.inFlight, stored?.results ?? []),
  };
}

const accountData = ({ baseUrl, model, summary }: ProviderAccount): AccountData => ({
  name: `${model} at ${new URL(baseUrl).host}`,
  inFlight: summary.inFlight,
  waiting: summary.waiting,
  acceptedPerMinute: Math.round(summary.acceptedPerMinute),
  refusedPerMinute: Math.round(summary.refusedPerMinute),
  text: accountSummaryText(summary),
});

const turnsShown = 12;
/** Of so many questions in flight, and of so many that ended last, the files are looked at. */
const lookedAt = 200;
const endedLookedAt = 12;
const previewLength = 160;

/** The latest turns of a run, the newest first: of each question its last one. Read from the run's files. */
export async function newestTurns(
  folder: RunFolder,
  inFlight: readonly SampleKey[],
  results: readonly Result[],
): Promise<readonly NewTurn[]> {
  const ended = [...results]
    .sort((a, b) => b.endedAt.localeCompare(a.endedAt))
    .slice(0, endedLookedAt);
  const keys = new Map(
    [...inFlight.slice(0, lookedAt), ...ended].map(({ uuid, epoch }) => {
      const key = { uuid, epoch };
      return [keyText(key), key];
    }),
  );
  const stored = await Promise.all(
    [...keys.values()].map(async (key) => ({ key, atMs: await folder.storedAtMs(key) })),
  );
  const latest = stored
    .flatMap(({ key, atMs }) => (atMs === null ? [] : [{ key, atMs }]))
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, turnsShown);
  const turns = await Promise.all(latest.map(({ key }) => lastTurn(folder, key)));
  return turns.filter((turn) => turn !== null).sort((a, b) => b.at.localeCompare(a.at));
}

/** Null before its first reply. */
async function lastTurn(folder: RunFolder, key: SampleKey): Promise<NewTurn | null> {
  const turn = (await folder.repliedTurns(key)).at(-1);
  const stored = turn === undefined ? null : await folder.turn(key, turn);
  return stored && newTurn(key, stored);
}

function newTurn({ uuid, epoch }: SampleKey, stored: StoredTurn): NewTurn {
  const { turn, action, thought, error, modelMs } = pageTurn(stored, () => null);
  const field = action?.fields.find(({ value }) => value !== '')?.value;
  return {
    uuid,
    epoch,
    turn,
    action: action?.name ?? null,
    text: preview(field ?? error ?? thought, previewLength),
    at: stored.reply.endedAt,
    ms: modelMs,
  };
}

/** The plot of calls needs every turn of a run, which takes seconds. */
const mostSamples = 2_000;

/** The plots of the report: those of the results, and at another path those of the calls. */
export const plotsParts = (home: ViewHome): readonly ViewPage[] => [
  viewPage(partPaths.plots, async (parameters) => {
    const reported = await home.stored(runIn(parameters));
    return plotsData(await runPlots({ reported, calls: [] }, 3));
  }),
  viewPage(partPaths.callPlots, async (parameters) => {
    const run = runIn(parameters);
    const folder = home.folder(run);
    const reported = await home.stored(run);
    if (reported.answers.length > mostSamples) {
      return plotsData([markup`<p class="note">The report page draws the calls, too.</p>`]);
    }
    const turns = await Promise.all(reported.answers.map((answer) => folder.turns(answer)));
    return plotsData(await plotsOf([callsPlot({ reported, calls: turns.flatMap(callsIn) })], 3));
  }),
];

const plotsData = (plots: readonly Markup[]): PlotsData => ({
  html: plots.map(({ text }) => text).join(''),
});

/** The page that `turnwise report` writes. */
export const reportDocument = (home: ViewHome): ViewDocument => ({
  path: documentPaths.report,
  html: (parameters) => makeReport([home.folder(runIn(parameters))]),
});
