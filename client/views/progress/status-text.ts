import { decimals, grouped, joined, preview, type Texts } from '../../../domain/formats/text.js';
import type { RunId } from '../../../domain/ids.js';
import { notesAbout, type Note } from '../../../domain/runs/run-notes.js';
import type { QuestionFigures } from '../../../domain/runs/run-figures.js';
import { rangeOf } from '../../../domain/scoring/scale.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import { runCondition, type LiveState } from '../../../domain/runs/run-condition.js';
import type { RunSnapshot, StoredRun } from '../../runs/status/run-snapshot.js';
import {
  endReport,
  largeReport,
  latestReport,
  retryLine,
  totalsReport,
  type EndedPart,
} from '../end-report.js';
import { ledgerSection } from '../sections/ledger.js';
import {
  accountLine,
  noteLine,
  runLiveLines,
  runStateText,
  runToolsText,
  stuckQuestions,
} from '../run-text.js';
import { sectionTexts, table } from '../terminal.js';

/** A younger snapshot is shown without its age. */
const shownAgeMs = 2_000;

/** On a busy machine the snapshot may be an earlier one. */
function ageLine({ takenAtMs }: RunSnapshot): Texts {
  const ageMs = Date.now() - takenAtMs;
  return ageMs >= shownAgeMs && `as it was ${Math.round(ageMs / 1000)} seconds ago`;
}

/** Questions listed at most; `--json` lists all. */
const questionsShown = 20;

/** What `status` prints: lines, or one JSON document. */
export const statusOutput = (snapshot: RunSnapshot, isJson: boolean): string =>
  isJson ? JSON.stringify(statusDocument(snapshot), null, 1) : statusText(snapshot);

export const statusText = (snapshot: RunSnapshot): string =>
  joined(
    '\n',
    snapshot.stored
      ? storedRunLines(snapshot, snapshot.stored)
      : remoteRunLines(snapshot, snapshot.live),
  );

function storedRunLines(snapshot: RunSnapshot, stored: StoredRun): Texts {
  const { live, accounts } = snapshot;
  const { manifest, figures, results, items, ledger } = stored;
  const { run, config, store, startedAt } = manifest;
  const { samples, totals, questions, historyBytesPerTurn: bytes } = figures;
  return [
    `run ${run}: ${runStateText(run, manifest.status, live)}`,
    ageLine(snapshot),
    runLiveLines(snapshot),
    `${config.method} with ${config.model.name}${store === null ? '' : ` over store ${store.name}`}, started ${startedAt}`,
    accounts.map(accountLine),
    noteLines(run, stored.notes),
    ledger === null
      ? largeRunReport(run, { samples, totals, results })
      : endReport({ samples, totals, results, ledger }),
    retryLine(run, totals),
    bytes !== null && `${bytes} bytes of history a turn`,
    figures.tools && runToolsText(figures.tools),
    ledger && sectionTexts([ledgerSection(ledger)]),
    questionLines(questions.filter(isListed), items),
  ];
}

/** Those on the run itself. */
function noteLines(run: RunId, notes: readonly Note[]): Texts {
  const own = notesAbout(notes, null);
  const others = notes.length - own.length;
  return [
    own.map(noteLine),
    others > 0 &&
      `${others} ${others === 1 ? 'note' : 'notes'} on its questions: \`turnwise runs note ${run}\``,
  ];
}

/** Its last line introduces what is of the latest results. */
const largeRunReport = (run: RunId, ended: EndedPart): Texts => [
  largeReport(ended),
  '',
  `of the last ${grouped(ended.results.length)} questions that ended (\`turnwise status ${run} --all\` reads all and shows the scores of groups):`,
  latestReport(ended),
];

/** A run whose files are on another machine. */
const remoteRunLines = (snapshot: RunSnapshot, live: LiveState | null): Texts => [
  `run ${snapshot.run}: ${live === null ? 'ended' : runStateText(snapshot.run, 'running', live)}`,
  runLiveLines(snapshot),
  live?.kind === 'open' && totalsReport(live.progress.totals),
];

export function statusDocument(snapshot: RunSnapshot): Readonly<Record<string, unknown>> {
  const { run, stored, takenAtMs, accounts, live } = snapshot;
  if (stored === null) return { run, live: liveDocument(snapshot) };
  return {
    run,
    status: stored.manifest.status,
    condition: runCondition(stored.manifest.status, live),
    seenAt: new Date(takenAtMs).toISOString(),
    ...stored.figures,
    notes: stored.notes,
    ledger: stored.ledger,
    // Of a large run, figures but the totals are of the latest results.
    ...(stored.ledger === null && { latest: stored.results.length }),
    limits: accounts.map(accountLine),
    live: liveDocument(snapshot),
  };
}

function liveDocument(snapshot: RunSnapshot): Readonly<Record<string, unknown>> | null {
  const { run, live } = snapshot;
  return (
    live && {
      kind: live.kind,
      state: runStateText(run, 'running', live),
      lines: runLiveLines(snapshot),
      ...(live.kind === 'open' && {
        summary: live.progress.summary,
        waiting: live.progress.waiting,
        stuck: stuckQuestions(snapshot, live),
      }),
    }
  );
}

const isListed = ({ outcome, score, scale }: QuestionFigures): boolean =>
  outcome !== null && (outcome !== 'answered' || (score !== null && score < rangeOf[scale].most));

function questionLines(
  questions: readonly QuestionFigures[],
  items: readonly DatasetItem[],
): Texts {
  const textOf = new Map(items.map(({ uuid, question }) => [uuid, question]));
  const rows = questions.map(({ uuid, epoch, outcome, score }) => [
    epoch === 1 ? uuid : `${uuid} --epoch ${epoch}`,
    outcome ?? '',
    decimals(score, 2),
    preview(textOf.get(uuid) ?? '', 60),
  ]);
  return rows.length > 0 && ['', table(['question', 'outcome', 'score', ''], rows, questionsShown)];
}
