import { preview } from '../domain/preview.js';
import type { DatasetItem } from '../domain/questions/dataset-item.js';
import type { Result } from '../domain/questions/result.js';
import type { ScoreLedger } from '../domain/reports/score-ledger.js';
import type { RunManifest } from '../domain/runs/run-manifest.js';
import { runToolsText } from '../domain/runs/run-tools-text.js';
import type { QuestionStatus, RunStatus } from '../domain/runs/run-status.js';
import { alignColumns } from './align-columns.js';
import { endReport } from './end-report.js';
import { ledgerText } from './ledger-text.js';

interface RunInFull {
  readonly manifest: RunManifest;
  readonly status: RunStatus;
  readonly results: readonly Result[];
  readonly items: readonly DatasetItem[];
  readonly ledger: ScoreLedger;
  /** Whether anything could be under way. */
  readonly servicesRun: boolean;
  /** How its provider's limits stand, a line each. */
  readonly limits: readonly string[];
}

/** Questions named at most; `--json` has them all. */
const questionsShown = 20;

/** Where a run is, in lines for the terminal, with the questions that are worth a look. */
export function statusText(all: RunInFull): string {
  const { manifest, status, results, items, ledger, limits } = all;
  const { run, config, store, startedAt } = manifest;
  const { samples, totals, questions, historyBytesPerTurn: bytes } = status;
  return [
    `run ${run}: ${stateOf(all)}`,
    `${config.method} with ${config.model.name} over store ${store.name}, started ${startedAt}`,
    ...limits,
    endReport({ samples, totals, results, ledger }),
    ...(bytes === null ? [] : [`${bytes} bytes of history a turn`]),
    ...(status.tools === null ? [] : runToolsText(status.tools)),
    ...ledgerText(ledger),
    ...questionsToSee(questions.filter(isWorthALook), items),
  ].join('\n');
}

function stateOf({ manifest, status, servicesRun }: RunInFull): string {
  if (manifest.status !== 'running') return manifest.status;
  const inFlight = status.questions.filter(({ outcome }) => outcome === null).length;
  return servicesRun
    ? `unfinished, ${inFlight} questions in flight`
    : 'unfinished; no services run: `turnwise up`, or the command that started it, goes on with it';
}

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
