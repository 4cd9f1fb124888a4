import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunFolder } from '../../client/run-folder.js';
import { runIdSchema } from '../../domain/ids.js';
import type { Result } from '../../domain/questions/result.js';
import { scoreSchema } from '../../domain/questions/score.js';
import { scoresFile } from '../../domain/runs/run-layout.js';
import type { Storm, Weathered } from './storm.js';

/** What a storm did to a run: all to be nothing, but that calls may be repeated up to a number. */
export interface Verdict {
  readonly lost: number;
  readonly twice: number;
  /** Questions whose answer, outcome, turns, score or conversation are not those of the calm run. */
  readonly differing: number;
  /** Calls beyond one a turn. */
  readonly repeated: number;
  /** Under way at kills, or answered by a fault. */
  readonly mayBeRepeated: number;
  /** Completed calls of a content that was completed before: what was paid for more than once. */
  readonly paidAgain: number;
  /** Under way at kills. */
  readonly mayBePaidAgain: number;
}

/** Compares a run that weathered a storm with the same one in calm weather. */
export function judge(storm: Storm, calmRun: string, weathered: Weathered): Verdict {
  const { home, run, questions, turns } = storm;
  const { stats, inFlightAtKills } = weathered;
  const results = resultsOf(home, run);
  const ended = new Set(results.map(({ uuid }) => uuid));
  const calm = factsOf(home, calmRun);
  const stormy = factsOf(home, run);
  return {
    lost: questions - ended.size,
    twice: results.length - ended.size,
    differing: [...calm].filter(([uuid, facts]) => stormy.get(uuid) !== facts).length,
    repeated: stats.received - questions * turns,
    mayBeRepeated: inFlightAtKills + stats.refused + stats.failed,
    paidAgain: stats.completed - stats.distinctCompleted,
    mayBePaidAgain: inFlightAtKills,
  };
}

export function problemsOf(name: string, verdict: Verdict): readonly string[] {
  const { lost, twice, differing, repeated, mayBeRepeated, paidAgain, mayBePaidAgain } = verdict;
  return [
    ...(lost > 0 ? [`${name}: ${lost} questions were lost`] : []),
    ...(twice > 0 ? [`${name}: ${twice} questions ended twice`] : []),
    ...(differing > 0 ? [`${name}: ${differing} questions differ from those of the calm run`] : []),
    ...(repeated > mayBeRepeated
      ? [`${name}: ${repeated} calls were repeated, of ${mayBeRepeated} that may be`]
      : []),
    ...(paidAgain > mayBePaidAgain
      ? [`${name}: ${paidAgain} calls were paid for again, of ${mayBePaidAgain} that may be`]
      : []),
  ];
}

const folderOf = (home: string, run: string): RunFolder =>
  new RunFolder(home, runIdSchema.parse(run));

const resultsOf = (home: string, run: string): readonly Result[] => folderOf(home, run).results();

/** By question, in words that are equal where all is. */
function factsOf(home: string, run: string): ReadonlyMap<string, string> {
  const folder = folderOf(home, run);
  const scoreOf = new Map(
    folder.readLines(scoresFile, scoreSchema).map(({ uuid, score }) => [uuid, score]),
  );
  return new Map(
    folder.results().map(({ uuid, answer, outcome, turns, trajectory }) => {
      const conversation = readFileSync(join(folder.path, trajectory), 'utf8');
      const score = scoreOf.get(uuid);
      return [uuid, JSON.stringify({ answer, outcome, turns, score, conversation })];
    }),
  );
}
