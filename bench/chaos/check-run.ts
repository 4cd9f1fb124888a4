import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunFolder } from '../../client/runs/run-folder.js';
import { runIdSchema } from '../../domain/ids.js';
import type { Result } from '../../domain/agent/question-result.js';
import { scoreSchema } from '../../domain/scoring/score.js';
import { scoresFile } from '../../domain/runs/run-layout.js';
import type { ChaosResult, ChaosSettings } from './chaos-run.js';

/** Damage to a chaos run. Nothing may be lost, ended twice or different; a limited number of calls may be repeated. */
export interface RunCheck {
  readonly lost: number;
  readonly twice: number;
  /** Questions whose answer, outcome, turns, score or conversation differs from the undisturbed run. */
  readonly differing: readonly Difference[];
  /** Calls beyond one for each turn. */
  readonly repeated: number;
  /** Calls that were in flight at a kill, or that met a fault. */
  readonly mayBeRepeated: number;
  /** Completed calls whose content had been completed before: they were paid for twice. */
  readonly paidAgain: number;
  /** Calls that were in flight at a kill. */
  readonly mayBePaidAgain: number;
}

interface Difference {
  readonly uuid: string;
  readonly undisturbed: Ending;
  readonly disturbed: Ending | null;
  /** The first line in which the conversations differ, in the undisturbed run and in the other. */
  readonly lines: readonly [string | null, string | null];
}

type Ending = Pick<Result, 'answer' | 'outcome' | 'turns'> & { readonly score: unknown };

/** Compares a chaos run with the same run undisturbed. */
export async function checkRun(
  { home, run, questions, turns }: Pick<ChaosSettings, 'home' | 'run' | 'questions' | 'turns'>,
  undisturbedRun: string,
  { stats, inFlightAtKills }: Pick<ChaosResult, 'stats' | 'inFlightAtKills'>,
): Promise<RunCheck> {
  const results = await resultsOf(home, run);
  const ended = new Set(results.map(({ uuid }) => uuid));
  return {
    lost: questions - ended.size,
    twice: results.length - ended.size,
    differing: differencesOf(await factsOf(home, undisturbedRun), await factsOf(home, run)),
    repeated: stats.received - questions * turns,
    mayBeRepeated: inFlightAtKills + stats.refused + stats.failed,
    paidAgain: stats.completed - stats.distinctCompleted,
    mayBePaidAgain: inFlightAtKills,
  };
}

export function problemsOf(name: string, check: RunCheck): readonly string[] {
  const { lost, twice, differing, repeated, mayBeRepeated, paidAgain, mayBePaidAgain } = check;
  return [
    ...(lost > 0 ? [`${name}: ${lost} questions were lost`] : []),
    ...(twice > 0 ? [`${name}: ${twice} questions ended twice`] : []),
    ...(differing.length > 0
      ? [
          `${name}: ${differing.length} questions differ from the undisturbed run, for example ` +
            differing.slice(0, 3).map(differenceText).join('; '),
        ]
      : []),
    ...(repeated > mayBeRepeated
      ? [`${name}: ${repeated} calls were repeated, but at most ${mayBeRepeated} may be`]
      : []),
    ...(paidAgain > mayBePaidAgain
      ? [`${name}: ${paidAgain} calls were paid for again, but at most ${mayBePaidAgain} may be`]
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

/** The facts to compare, by question id. */
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
  undisturbed: ReadonlyMap<string, Facts>,
  disturbed: ReadonlyMap<string, Facts>,
): readonly Difference[] {
  return [...undisturbed].flatMap(([uuid, facts]) => {
    const other = disturbed.get(uuid);
    if (JSON.stringify(other) === JSON.stringify(facts)) return [];
    const lines = facts.conversation.split('\n');
    const others = other?.conversation.split('\n') ?? [];
    const at = lines.findIndex((line, index) => line !== others[index]);
    return {
      uuid,
      undisturbed: facts.ending,
      disturbed: other?.ending ?? null,
      lines: [lines[at] ?? null, others[at] ?? null],
    };
  });
}

const differenceText = ({ uuid, disturbed }: Difference): string =>
  `${uuid} ended as ${JSON.stringify(disturbed?.outcome ?? null)} after ${disturbed?.turns ?? 0} turns`;
