import { preview } from '../../domain/formats/text.js';
import type { RunId } from '../../domain/ids.js';
import type { QuestionStatus, RunLive } from '../../domain/runs/run-status.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import type { RunSnapshot } from '../runs/run-snapshot.js';
import { endReport, totalsReport } from './end-report.js';
import { ledgerText } from './ledger-text.js';
import { runLiveLines, runLiveState, runToolsText } from './run-text.js';
import { alignColumns } from './terminal.js';

/** A snapshot younger than this counts as current. */
const newMs = 2_000;

/** The age of the snapshot, if the services were too busy for a new one. */
function agoLine({ nowMs }: RunSnapshot): readonly string[] {
  const agoMs = Date.now() - nowMs;
  return agoMs < newMs ? [] : [`as it was ${Math.round(agoMs / 1000)} seconds ago`];
}

/** The most questions listed; `--json` lists all. */
const questionsShown = 20;

/** A run's status as lines for the terminal, with the questions that deserve attention. */
export function statusText(all: RunSnapshot): string {
  const { manifest, status, results, items, ledger, live, limits } = all;
  const { run, config, store, startedAt } = manifest;
  const { samples, totals, questions, historyBytesPerTurn: bytes } = status;
  return [
    `run ${run}: ${live === null ? manifest.status : runLiveState(run, live)}`,
    ...agoLine(all),
    ...(live === null ? [] : runLiveLines(run, live, all)),
    `${config.method} with ${config.model.name} over store ${store.name}, started ${startedAt}`,
    ...limits,
    endReport({ samples, totals, results, ledger }),
    ...(bytes === null ? [] : [`${bytes} bytes of history a turn`]),
    ...(status.tools === null ? [] : runToolsText(status.tools)),
    ...ledgerText(ledger),
    ...questionsToSee(questions.filter(isWorthALook), items),
  ].join('\n');
}

/** What `status` prints: lines, or one document. */
export const statusOutput = (all: RunSnapshot, isJson: boolean): string =>
  isJson ? JSON.stringify(statusDocument(all), null, 1) : statusText(all);

/** The status as a JSON document. */
export function statusDocument(all: RunSnapshot): Readonly<Record<string, unknown>> {
  const { manifest, status, ledger, live, limits, nowMs } = all;
  const { run } = manifest;
  const isOpen = live?.kind === 'open';
  return {
    run,
    status: manifest.status,
    seenAt: new Date(nowMs).toISOString(),
    ...status,
    ledger,
    limits,
    live: live && {
      kind: live.kind,
      state: runLiveState(run, live),
      lines: runLiveLines(run, live, all),
      ...(isOpen && {
        standing: live.progress.summary,
        waiting: live.progress.waiting,
        stuck: live.stuck,
      }),
    },
  };
}

/** The status of a run whose files are on another machine. */
export const remoteStatusText = (run: RunId, live: RunLive): string =>
  [
    `run ${run}: ${runLiveState(run, live)}`,
    ...runLiveLines(run, live, { turnMs: null, nowMs: Date.now() }),
    ...(live.kind === 'open' ? [totalsReport(live.progress.totals)] : []),
  ].join('\n');

const isWorthALook = ({ outcome, score }: QuestionStatus): boolean =>
  outcome !== null && (outcome !== 'answered' || (score !== null && score < 1));

function questionsToSee(
  questions: readonly QuestionStatus[],
  items: readonly DatasetItem[],
): readonly string[] {
  if (questions.length === 0) return [];
  const textOf = new Map(items.map(({ uuid, question }) => [uuid, question]));
  const rows = questions
    .slice(0, questionsShown)
    .map(({ uuid, epoch, outcome, score }) => [
      epoch === 1 ? uuid : `${uuid} --epoch ${epoch}`,
      outcome ?? '',
      score?.toFixed(2) ?? '–',
      preview(textOf.get(uuid) ?? '', 60),
    ]);
  const more = questions.length - rows.length;
  return [
    '',
    alignColumns([['question', 'outcome', 'score', ''], ...rows]),
    ...(more > 0 ? [`and ${more} more: --json lists all`] : []),
  ];
}
