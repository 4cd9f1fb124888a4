import { RunFolder } from '../../client/runs/run-folder.js';
import { runIdSchema } from '../../domain/ids.js';
import type { Result } from '../../domain/agent/question-result.js';
import { addUsage, noUsage } from '../../domain/models/usage.js';
import { scoreSchema } from '../../domain/scoring/score.js';
import { scoresFile } from '../../domain/runs/run-manifest.js';
import type { SimulatorStats } from '../../simulator/call-log.js';
import { atMost, problemsOf, type Ratio } from '../benchmark.js';

/** Damage to a chaos run. Nothing may be lost, ended twice or different; a limited number of calls may be repeated. */
export interface RunCheck {
  readonly lost: number;
  readonly twice: number;
  /** Questions that ended for a reason outside of them. */
  readonly infraErrors: number;
  /** Questions whose answer, outcome, turns, score or conversation differs from the undisturbed run. */
  readonly differing: readonly Difference[];
  /** Calls beyond one for each turn, without those that examine an outage. */
  readonly repeated: number;
  /** Calls that were in flight at a kill, or that met a fault. */
  readonly mayBeRepeated: number;
  /** Completed calls whose content had been completed before: they were paid for twice. */
  readonly paidAgain: number;
  /** Calls that were in flight at a kill. */
  readonly mayBePaidAgain: number;
  /** Tokens that were billed, without those of probes. */
  readonly billedTokens: number;
  /** Tokens of the stored replies. */
  readonly storedTokens: number;
  /** Tokens that the run says may have been billed for replies that it never got. */
  readonly lostTokens: number;
}

interface Difference {
  readonly uuid: string;
  readonly undisturbed: Ending;
  readonly disturbed: Ending | null;
  /** The first line in which the conversations differ, in the undisturbed run and in the other. */
  readonly lines: readonly [string | null, string | null];
}

type Ending = Pick<Result, 'answer' | 'outcome' | 'turns'> & { readonly score: unknown };

interface CheckedRun {
  readonly home: string;
  readonly run: string;
  readonly questions: number;
  readonly turns: number;
  /** Where the runs are. @defaultValue the home */
  readonly storage?: string;
}

/** Compares a chaos run with the same run undisturbed. */
export async function checkRun(
  { home, run, questions, turns, storage = home }: CheckedRun,
  undisturbedRun: string,
  { stats, inFlightAtKills }: { readonly stats: SimulatorStats; readonly inFlightAtKills: number },
): Promise<RunCheck> {
  const folderOf = (id: string): RunFolder => new RunFolder(home, runIdSchema.parse(id), storage);
  const results = await folderOf(run).results();
  const ended = new Set(results.map(({ uuid }) => uuid));
  const usage = results.map((result) => result.usage).reduce(addUsage, noUsage);
  return {
    lost: questions - ended.size,
    twice: results.length - ended.size,
    infraErrors: results.filter(({ outcome }) => outcome.kind === 'infra-error').length,
    differing: differencesOf(await factsOf(folderOf(undisturbedRun)), await factsOf(folderOf(run))),
    repeated: stats.received - stats.probes - questions * turns,
    mayBeRepeated: inFlightAtKills + stats.refused + stats.failed,
    paidAgain: stats.completed - stats.distinctCompleted,
    mayBePaidAgain: inFlightAtKills,
    billedTokens: stats.promptTokens + stats.completionTokens - stats.probeTokens,
    storedTokens: usage.promptTokens + usage.completionTokens,
    lostTokens: usage.lostTokens,
  };
}

/** What must hold of a run. */
export const ratiosOfRun = (check: RunCheck): readonly Ratio[] => [
  atMost('questions lost', check.lost, 0),
  atMost('questions that ended twice', check.twice, 0),
  atMost('questions that ended as `infra-error`', check.infraErrors, 0),
  atMost('questions that differ from the undisturbed run', check.differing.length, 0),
  atMost('calls repeated', check.repeated, check.mayBeRepeated),
  atMost('calls paid again', check.paidAgain, check.mayBePaidAgain),
  atMost('tokens stored, of those billed', check.storedTokens, check.billedTokens),
  atMost(
    'tokens billed, of those stored and declared lost',
    check.billedTokens,
    check.storedTokens + check.lostTokens,
  ),
];

/** What does not hold, and where the first questions that differ do so. */
export const problemsOfRun = (check: RunCheck): readonly string[] => [
  ...problemsOf(ratiosOfRun(check)),
  ...check.differing.slice(0, 3).map(({ uuid, undisturbed, disturbed, lines }) => {
    const [before, after] = firstDifference(...lines);
    return `${uuid}: undisturbed ${JSON.stringify(undisturbed)}, disturbed ${JSON.stringify(disturbed)}; …${before}… became …${after}…`;
  }),
];

/** Where two lines begin to differ, with 200 characters before and after. */
function firstDifference(one: string | null, other: string | null): readonly [string, string] {
  const [before, after] = [one ?? '', other ?? ''];
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const around = (text: string): string => text.slice(Math.max(0, at - 200), at + 200);
  return [around(before), around(after)];
}

interface Facts {
  readonly ending: Ending;
  readonly conversation: string;
}

/** The facts to compare, by question id. */
async function factsOf(folder: RunFolder): Promise<ReadonlyMap<string, Facts>> {
  const scoreOf = new Map(
    (await folder.readLines(scoresFile, scoreSchema)).map(({ uuid, score }) => [uuid, score]),
  );
  const facts = new Map<string, Facts>();
  for (const { uuid, answer, outcome, turns, trajectory } of await folder.results()) {
    const conversation = (await folder.read(trajectory)) ?? '';
    facts.set(uuid, { ending: { answer, outcome, turns, score: scoreOf.get(uuid) }, conversation });
  }
  return facts;
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
