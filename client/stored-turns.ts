import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SampleKey } from '../domain/ids.js';
import { observationRecordSchema, replyRecordSchema } from '../domain/questions/turn-record.js';
import type { StoredTurn } from '../domain/questions/stored-turn.js';
import { observationFile, replyFile, turnsFolder } from '../domain/runs/run-layout.js';
import type { RunFolder } from './run-folder.js';
import { isAbsence } from './system-error.js';

/** The turns that a run's folder holds of a question, in order; none where it has not begun. */
export const storedTurns = (folder: RunFolder, key: SampleKey): readonly StoredTurn[] =>
  repliedTurns(folder, key).flatMap((turn) => {
    const reply = folder.readJson(replyFile(key, turn), replyRecordSchema);
    const observation = folder.readJson(observationFile(key, turn), observationRecordSchema);
    return reply ? [{ reply, observation }] : [];
  });

/** The numbers of a question's turns of which a run's folder holds the reply, from the first. */
export const repliedTurns = (folder: RunFolder, key: SampleKey): readonly number[] =>
  fileNames(join(folder.path, turnsFolder(key)))
    .flatMap((name) => /^(\d+)\.reply\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

function fileNames(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}
