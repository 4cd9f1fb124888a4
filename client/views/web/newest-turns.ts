import { preview } from '../../../domain/formats/text.js';
import { keyText, type SampleKey } from '../../../domain/ids.js';
import type { Result } from '../../../domain/agent/question-result.js';
import type { StoredTurn } from '../../../domain/agent/turn-record.js';
import type { RunFolder } from '../../runs/run-folder.js';
import { pageTurn } from '../page/page-question.js';
import type { NewTurn } from './page-data.js';

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
