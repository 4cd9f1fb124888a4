import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunFolder } from '../../client/runs/run-folder.js';
import { runIdSchema } from '../../domain/ids.js';
import type { Result } from '../../domain/agent/question-result.js';
import { scoreSchema } from '../../domain/scoring/score.js';
import { scoresFile } from '../../domain/runs/run-layout.js';
import type { Storm, Weathered } from './chaos-run.js';

/** What a storm did to a run: all to be nothing, but that calls may be repeated up to a number. */
export interface Verdict {
  readonly lost: number;
  readonly twice: number;
  /** Questions whose answer, outcome, turns, score or conversation are not those of the calm run. */
  readonly differing: readonly Difference[];
  /** Calls beyond one a turn. */
  readonly repeated: number;
  /** Under way at kills, or answered by a fault. */
  readonly mayBeRepeated: number;
  /** Completed calls of a content that was completed before: what was paid for more than once. */
  readonly paidAgain: number;
  /** Under way at kills. */
  readonly mayBePaidAgain: number;
}

interface Difference {
  readonly uuid: string;
  readonly calm: Ending;
  readonly stormy: Ending | null;
  /** The first line of the calm conversation that the other has not, and what it has instead. */
  readonly lines: readonly [string | null, string | null];
}

type Ending = Pick<Result, 'answer' | 'outcome' | 'turns'> & { readonly score: unknown };

/** Compares a run that weathered a storm with the same one in calm weather. */
export async function judge(storm: Storm, calmRun: string, weathered: Weathered): Promise<Verdict> {
  const { home, run, questions, turns } = storm;
  const { stats, inFlightAtKills } = weathered;
  const results = await resultsOf(home, run);
  const ended = new Set(results.map(({ uuid }) => uuid));
  return {
    lost: questions - ended.size,
    twice: results.length - ended.size,
    differing: differencesOf(await factsOf(home, calmRun), await factsOf(home, run)),
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
    ...(differing.length > 0
      ? [
          `${name}: ${differing.length} questions differ from those of the calm run, of which ` +
            differing.slice(0, 3).map(inWords).join('; '),
        ]
      : []),
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

const resultsOf = (home: string, run: string): Promise<readonly Result[]> =>
  folderOf(home, run).results();

interface Facts {
  readonly ending: Ending;
  readonly conversation: string;
}

/** By question. */
async function factsOf(home: string, run: string): Promise<ReadonlyMap<string, Facts>> {
  const folder = folderOf(home, run);
  const scoreOf = new Map(
    (await folder.readLines(scoresFile, scoreSchema)).map(({ uuid, score }) => [uuid, score]),
  );
  return new Map(
    (await folder.results()).map(({ uuid, answer, outcome, turns, trajectory }) => {
      const conversation = readFileSync(join(folder.path, trajectory), 'utf8');
      return [uuid, { ending: { answer, outcome, turns, score: scoreOf.get(uuid) }, conversation }];
    }),
  );
}

function differencesOf(
  calm: ReadonlyMap<string, Facts>,
  stormy: ReadonlyMap<string, Facts>,
): readonly Difference[] {
  return [...calm].flatMap(([uuid, facts]) => {
    const other = stormy.get(uuid);
    if (JSON.stringify(other) === JSON.stringify(facts)) return [];
    const lines = facts.conversation.split('\n');
    const others = other?.conversation.split('\n') ?? [];
    const at = lines.findIndex((line, index) => line !== others[index]);
    return {
      uuid,
      calm: facts.ending,
      stormy: other?.ending ?? null,
      lines: [lines[at] ?? null, others[at] ?? null],
    };
  });
}

const inWords = ({ uuid, stormy }: Difference): string =>
  `${uuid} ended as ${JSON.stringify(stormy?.outcome ?? null)} after ${stormy?.turns ?? 0} turns`;
