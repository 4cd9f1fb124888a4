import { counted, decimals, grouped, preview, type Texts } from '../../../domain/formats/text.js';
import type { RunId } from '../../../domain/ids.js';
import { notesAbout, type Note, type RunManifest } from '../../../domain/runs/run-manifest.js';
import type { QuestionFigures } from '../../../domain/runs/run-figures.js';
import { rangeOf } from '../../../domain/scoring/verdict.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import { runCondition } from '../../../domain/runs/run-progress.js';
import { rulingState, type RulingState } from '../../runs/scoring/run-scores.js';
import type { RunSnapshot, StoredRun } from '../../runs/status/run-snapshot.js';
import {
  endReport,
  largeReport,
  latestReport,
  retryLine,
  totalsReport,
  type EndedPart,
} from '../end-report.js';
import { signedText } from '../print-summary.js';
import type { SectionedResult } from '../print-sections.js';
import { ledgerSection, outcomeCell } from '../sections/ledger.js';
import {
  accountLine,
  conditionTone,
  noteLine,
  runLiveLines,
  runStateText,
  runToolsText,
  stuckQuestions,
} from '../run-text.js';
import { figuresOf, section, wordsSection, type Section } from '../sections/section.js';

/** A younger snapshot is shown without its age. */
const shownAgeMs = 2_000;

/** On a busy machine the snapshot may be an earlier one. */
function ageLine({ takenAtMs }: RunSnapshot): Texts {
  const ageMs = Date.now() - takenAtMs;
  return ageMs >= shownAgeMs && `as it was ${Math.round(ageMs / 1000)} seconds ago`;
}

export const statusResult = (snapshot: RunSnapshot): SectionedResult => ({
  title: `Run ${snapshot.run}`,
  sections: snapshot.stored
    ? storedSections(snapshot, snapshot.stored)
    : [
        stateSection(
          snapshot,
          'running',
          snapshot.live?.kind === 'open' && totalsReport(snapshot.live.progress.totals),
        ),
      ],
  data: statusDocument(snapshot),
});

/** What the run does. It stands out where it waits for a person. */
const stateSection = (
  snapshot: RunSnapshot,
  status: RunManifest['status'],
  more: Texts = null,
): Section =>
  wordsSection(
    'state',
    'State',
    [
      `run ${snapshot.run}: ${runStateText(snapshot.run, status, snapshot.live)}`,
      ageLine(snapshot),
      runLiveLines(snapshot),
      more,
    ],
    conditionTone(runCondition(status, snapshot.live)),
  );

function storedSections(snapshot: RunSnapshot, stored: StoredRun): readonly Section[] {
  const { accounts } = snapshot;
  const { manifest, figures, results, items, ledger } = stored;
  const { run, config, store, startedAt } = manifest;
  const { samples, totals, questions, historyBytesPerTurn: bytes, actionsPerQuestion } = figures;
  const { price } = config.model;
  const words = [
    `${config.method} with ${config.model.name}${store === null ? '' : ` over store ${store.name}`}, started ${startedAt}`,
    accounts.map(accountLine),
    noteLines(run, stored.notes),
    rulingLines(run, rulingState(stored)),
    ledger === null
      ? largeRunReport(run, { samples, totals, results, price })
      : endReport({ samples, totals, results, price, ledger }),
    retryLine(run, totals),
    bytes !== null && `${bytes} bytes of history a turn`,
    actionsPerQuestion !== null &&
      `${decimals(actionsPerQuestion, 1)} actions of Temporal Cloud a question, without heartbeats`,
    figures.tools && runToolsText(figures.tools),
  ];
  return [
    stateSection(snapshot, manifest.status),
    wordsSection('run', 'Results', words),
    ...(ledger ? [ledgerSection(ledger)] : []),
    ...questionSections(questions.filter(isListed), items),
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

/** Whether the run is signed off, or what would have to be ruled on before. */
function rulingLines(run: RunId, { open, signOff }: RulingState): Texts {
  if (signOff !== null) return signedText(signOff);
  const questions = counted(open.length, 'question');
  return open.length > 0 && `${questions} open for a ruling: \`turnwise runs rule ${run}\``;
}

/** Its last line introduces what is of the latest results. */
const largeRunReport = (run: RunId, ended: EndedPart): Texts => [
  largeReport(ended),
  '',
  `of the last ${grouped(ended.results.length)} questions that ended (\`turnwise status ${run} --all\` reads all and shows the scores of groups):`,
  latestReport(ended),
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
    rulings: rulingState(stored),
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

function questionSections(
  questions: readonly QuestionFigures[],
  items: readonly DatasetItem[],
): readonly Section[] {
  const textOf = new Map(items.map(({ uuid, question }) => [uuid, question]));
  const table = figuresOf(
    'Questions',
    ['question', 'outcome', 'score', 'text'],
    questions.map(({ uuid, epoch, outcome, score }) => [
      epoch === 1 ? uuid : `${uuid} --epoch ${epoch}`,
      outcomeCell(outcome ?? ''),
      decimals(score, 2),
      preview(textOf.get(uuid) ?? '', 60),
    ]),
  );
  return questions.length === 0 ? [] : [section('questions', 'Questions', { tables: [table] })];
}
