import { databaseModes } from '../../../domain/agent/database-qa/answer-trace.js';
import type { RunId } from '../../../domain/ids.js';
import { jsonIn } from '../../../domain/formats/json.js';
import {
  onCommonQuestions,
  readAnswers,
  type AgentAnswers,
} from '../../../domain/runs/database-qa/answer-record.js';
import {
  databaseTables,
  type DatabaseTables,
} from '../../../domain/runs/database-qa/database-tables.js';
import { UserError } from '../../../domain/user-error.js';
import { flawedFiles, readTextFile } from '../../services/read-file.js';
import { datasetOf, readDatabaseRun, type DatabaseRun } from './database-runs.js';
import { samplesOf, type RunFolder } from '../run-folder.js';
import { scorerOf } from '../scoring/score-run.js';

/** A report on answers over databases. */
export interface DatabaseReport {
  readonly tables: DatabaseTables;
  /** A row of the tables each; of runs, in the order of the runs. */
  readonly agents: readonly AgentAnswers[];
  /** Empty for answers that were made elsewhere. */
  readonly runs: readonly DatabaseRun[];
  /** What to know before reading the tables. */
  readonly notes: readonly string[];
}

interface DatabaseReportOptions {
  /** Whether to restrict the tables to the questions that all agents were asked. */
  readonly common?: boolean;
  /** The run whose answers are guesses. */
  readonly baseline?: RunId | undefined;
}

/**
 * Null unless all runs are of agents over databases.
 * @throws UserError for runs of different datasets, unless restricted to common questions
 */
export async function databaseReportOf(
  folders: readonly RunFolder[],
  options: DatabaseReportOptions = {},
): Promise<DatabaseReport | null> {
  const manifests = await Promise.all(folders.map((folder) => folder.manifest()));
  const modes: readonly string[] = databaseModes;
  if (manifests.every(({ config }) => modes.includes(config.method))) {
    return reportOnRuns(folders, options);
  }
  if (!options.common && options.baseline === undefined) return null;
  throw new UserError('--common and --baseline are for runs over databases');
}

/** @throws UserError for runs of different datasets, unless restricted to common questions */
export async function reportOnRuns(
  folders: readonly RunFolder[],
  { common = false, baseline }: DatabaseReportOptions,
): Promise<DatabaseReport> {
  const runs: DatabaseRun[] = [];
  for (const folder of folders) runs.push(await readDatabaseRun(folder));
  if (baseline !== undefined && runs.every(({ agent }) => agent.run !== baseline)) {
    throw new UserError(`--baseline names run ${baseline}, which is none of the report's runs`);
  }
  if (!common) refuseDifferentDatasets(runs);
  const uuids = commonUuids(runs);
  const agents = runs.map(({ agent, answers }) => ({
    agent,
    answers: answers.filter(({ uuid }) => uuids.has(uuid)),
  }));
  if (uuids.size === 0) throw nothingInCommon();
  const dataset = datasetOf(runs, uuids);
  return {
    tables: databaseTables(agents, { dataset, baseline }),
    agents,
    runs,
    notes: [
      ...runs.flatMap(unendedNote),
      ...(common ? [commonNote(uuids.size)] : []),
      ...simulatedNote(agents),
      ...(await scorerNotes(runs)),
    ],
  };
}

/** @param file - answers that were made elsewhere, in the form of docs/reference/reports-on-databases.md */
export function reportOnAnswers(
  file: string,
  { common = false }: DatabaseReportOptions,
): DatabaseReport {
  const { agents: all, problems } = readAnswers(jsonIn(readTextFile(file)));
  if (problems.length > 0) throw flawedFiles([{ file, problems }]);
  const agents = common ? onCommonQuestions(all) : all;
  const uuids = new Set(agents.flatMap(({ answers }) => answers.map(({ uuid }) => uuid)));
  if (uuids.size === 0) throw nothingInCommon();
  return {
    tables: databaseTables(agents),
    agents,
    runs: [],
    notes: [...(common ? [commonNote(uuids.size)] : []), ...simulatedNote(agents)],
  };
}

function refuseDifferentDatasets([first, ...others]: readonly DatabaseRun[]): void {
  const other = others.find(
    ({ files }) => files.manifest.dataset.fingerprint !== first?.files.manifest.dataset.fingerprint,
  );
  if (first === undefined || other === undefined) return;
  throw new UserError(
    `runs ${first.folder.run} and ${other.folder.run} are of different datasets: --common restricts the tables to the questions that all runs were asked`,
  );
}

/** The questions of all runs: the same uuid and the same words. */
function commonUuids(runs: readonly DatabaseRun[]): ReadonlySet<string> {
  const asked = runs.map(
    ({ files }) =>
      new Map<string, string>(files.items.map(({ uuid, question }) => [uuid, question])),
  );
  const [first = new Map<string, string>(), ...others] = asked;
  return new Set(
    [...first].flatMap(([uuid, question]) =>
      others.every((items) => items.get(uuid) === question) ? [uuid] : [],
    ),
  );
}

const nothingInCommon = (): UserError =>
  new UserError('no question was asked by all: each agent needs a report of its own');

const commonNote = (questions: number): string =>
  `The tables are over the ${questions} questions that all agents were asked.`;

function unendedNote({ folder, files }: DatabaseRun): readonly string[] {
  const [ended, all] = [files.results.length, samplesOf(files.manifest)];
  return ended < all
    ? [`${ended} of ${all} questions of run ${folder.run} have ended: its figures are preliminary.`]
    : [];
}

/** Who judged, so that a judge is seen beside the agents. Runs with the same judges share a note; if all do, it names none. */
async function scorerNotes(runs: readonly DatabaseRun[]): Promise<readonly string[]> {
  const runsOf = new Map<string, RunId[]>();
  for (const { folder, files } of runs) {
    const scorer = await scorerOf(folder, files);
    if (scorer === '') continue;
    const known = runsOf.get(scorer);
    if (known) known.push(folder.run);
    else runsOf.set(scorer, [folder.run]);
  }
  return [...runsOf].map(
    ([scorer, runs]) => `Scores${runsOf.size > 1 ? ` of ${runs.join(', ')}` : ''}: ${scorer}.`,
  );
}

/** Models that turnwise marks as simulated. */
function simulatedNote(agents: readonly AgentAnswers[]): readonly string[] {
  const simulated = agents.filter(({ agent }) => agent.model.includes('(simulated)'));
  if (simulated.length === 0) return [];
  return [
    `${simulated.length === agents.length ? 'All' : `${simulated.length} of ${agents.length}`} agents are simulated: their figures test the software, not a model.`,
  ];
}
