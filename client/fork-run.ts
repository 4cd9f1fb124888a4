import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { keyText, type SampleKey } from '../domain/ids.js';
import { judgeReplySchema } from '../domain/judging/judge-reply.js';
import type { DatasetItem } from '../domain/questions/dataset-item.js';
import { endedForOutsideReasons } from '../domain/questions/outcome.js';
import { samplesOf } from '../domain/questions/samples.js';
import { observationRecordSchema, replyRecordSchema } from '../domain/questions/turn-record.js';
import type { PaidCall } from '../domain/questions/usage-of-reply.js';
import { keptSamples } from '../domain/runs/run-fork.js';
import { endFile, judgesFolder, turnOf, turnsFolder } from '../domain/runs/run-layout.js';
import type { RunManifest } from '../domain/runs/run-manifest.js';
import type { RunFolder } from './run-folder.js';
import { isAbsence } from './system-error.js';

/** What a new run begins from. */
export interface Origin {
  readonly folder: RunFolder;
  /** The first turn that is asked anew, whatever has changed. Absent where turns are kept that hold for the new run, too. */
  readonly fromTurn?: number;
}

/** What a new run takes over from an earlier one. */
export interface Fork {
  readonly from: RunFolder;
  /** Samples whose stored turns hold for the new run. */
  readonly kept: readonly SampleKey[];
  /** Of them, those that had ended for reasons of their own: nothing is left to be asked. */
  readonly ended: readonly SampleKey[];
  /** The first turn that is asked anew. Infinity where all that are stored are kept. */
  readonly fromTurn: number;
}

export function planFork(
  { folder: from, fromTurn = Infinity }: Origin,
  now: { readonly manifest: RunManifest; readonly items: readonly DatasetItem[] },
): Fork {
  const kept =
    fromTurn === Infinity
      ? keptSamples({ manifest: from.manifest(), items: from.items() }, now)
      : samplesOf(now.items, now.manifest.config.epochs);
  const names = new Set(kept.map(keyText));
  const ended = from
    .results()
    .filter((result) => names.has(keyText(result)) && !endedForOutsideReasons[result.outcome.kind])
    .filter(({ turns }) => turns < fromTurn);
  return { from, kept, ended, fromTurn };
}

/**
 * Copies the stored turns, and what judges said, as replies of which nothing is paid again. The scores are not copied:
 * they are made anew, and what judges said counts where the same judges are asked the same.
 */
export function takeOver({ from, kept, fromTurn }: Fork, to: RunFolder): void {
  for (const key of kept) {
    for (const folder of [turnsFolder(key), judgesFolder(key)]) {
      for (const file of filesOf(join(from.path, folder))) {
        const path = `${folder}/${file}`;
        if (path !== endFile(key) && (turnOf(file) ?? 0) < fromTurn) copy(path, from, to);
      }
    }
  }
}

function copy(path: string, from: RunFolder, to: RunFolder): void {
  if (path.endsWith('.reply.json')) {
    const reply = from.readJson(path, replyRecordSchema);
    if (reply) to.write(path, textOf(unpaid(reply)));
  } else if (path.endsWith('.judge.json')) {
    const reply = from.readJson(path, judgeReplySchema);
    if (reply) to.write(path, textOf(unpaid(reply)));
  } else if (path.endsWith('.observation.json')) {
    const observation = from.readJson(path, observationRecordSchema);
    if (observation?.facts) delete observation.facts.costUsd;
    if (observation) to.write(path, textOf(observation));
  } else {
    to.write(path, from.read(path) ?? '');
  }
}

const unpaid = <Reply extends PaidCall>(reply: Reply): Reply => ({
  ...reply,
  costUsd: 0,
  cacheHit: reply.model !== null,
  retries: 0,
});

const textOf = (record: object): string => `${JSON.stringify(record, null, 1)}\n`;

/** None where a question has not begun. Drafts of processes that were killed are left out. */
function filesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith('.json'));
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}
