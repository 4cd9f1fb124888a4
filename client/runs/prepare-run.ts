import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { promptVersion } from '../../domain/agent/prompts/prompt-texts.js';
import { openingShortfall } from '../../domain/agent/conversation.js';
import { exactJson, exactJsonIn, jsonIn } from '../../domain/formats/json.js';
import { runIdSchema, type RunId, keyText, type SampleKey } from '../../domain/ids.js';
import { versionWith } from '../../domain/models/prompt-file.js';
import { readDataset, sampleKeysOf } from '../../domain/runs/dataset.js';
import { noProbes } from '../../domain/runs/probes.js';
import { tunedConfig, type RunConfig, type Tuning } from '../../domain/runs/run-config.js';
import { forkName, runDifferences, keptSamples } from '../../domain/runs/run-fork.js';
import {
  datasetFile,
  manifestFile,
  pluginFile,
  resultsFile,
  scoresFile,
  type RunManifest,
} from '../../domain/runs/run-manifest.js';
import { datasetItemSchema, type DatasetItem } from '../../domain/scoring/dataset-item.js';
import { judgePromptVersion } from '../../domain/scoring/judging/judge-request.js';
import { paperSchemaVersion } from '../../domain/stores/paper-tables.js';
import type { StoreManifest } from '../../domain/stores/store-manifest.js';
import { paperIds, papersByName } from '../../domain/stores/papers-named.js';
import { UserError } from '../../domain/user-error.js';
import { endedForOutsideReasons, resultSchema } from '../../domain/agent/question-result.js';
import { scoreSchema } from '../../domain/scoring/score.js';
import { unpaid } from '../../domain/agent/turn-record.js';
import type { RunFilesPort } from '../../activities/ports/run-files.js';
import { openStorage } from '../../storage/open-storage.js';
import { RunRemoval } from '../../storage/runs/run-removal.js';
import type { LoadedPlugin } from '../../plugins/load-plugins.js';
import { gitRevision, packageVersion } from '../services/programs.js';
import { scorerFiles, scorersOf } from './own-code.js';
import { questionDatabases, type QuestionDatabases } from './database-qa/question-databases.js';
import { forUsers, RunFolder, samplesOf } from './run-folder.js';

export interface RunRequest {
  readonly home: string;
  /** Where runs are kept. @defaultValue the home */
  readonly storage?: string;
  readonly run: RunId;
  readonly dataset: { readonly path: string; readonly text: string };
  /** Null where the questions name their databases. */
  readonly store: StoreManifest | null;
  /** Whether questions whose database cannot be read are left out. @defaultValue false */
  readonly skipBadDatabases?: boolean;
  /** Whether the only question comes from the command line. @defaultValue false */
  readonly isAlone?: boolean;
  readonly config: RunConfig;
  /** Those of `config`, with their code. @defaultValue none */
  readonly plugins?: readonly LoadedPlugin[];
  /** Of the limits in `config`, those somebody asked for: a run that is continued keeps its others. */
  readonly tuning?: Tuning;
  /** Whether a run that cannot be continued is to be forked. @defaultValue false */
  readonly fork?: boolean;
  /** Which questions of the dataset were chosen. Absent for all. */
  readonly part?: RunManifest['part'];
  /** The words of the command line that started it. */
  readonly command?: readonly string[];
  /** The evaluation that it is a cell of. */
  readonly evaluation?: RunManifest['evaluation'];
  /** What helps where a run of this id was started differently. @defaultValue another id, or a fork */
  readonly elsewhere?: string;
}

export interface PreparedRun {
  /** `ended`: every question has, so that nothing is left to do and nothing is written. */
  readonly kind: 'new' | 'continued' | 'ended';
  readonly folder: RunFolder;
  readonly manifest: RunManifest;
}

/** A run that could be started, of which nothing is written yet. */
export interface RunPlan extends PreparedRun {
  readonly items: readonly DatasetItem[];
  readonly schemaOf: QuestionDatabases['schemaOf'];
  /** Of the dataset. */
  readonly text: string;
  /** What a new run takes over; null where it begins from nothing. */
  readonly fork: Fork | null;
  /** What somebody who starts or continues the run should know. */
  readonly notes: readonly string[];
}

/** Writes what a run begins with, or what may change of one that is continued. Throws UserError as `planRun` does. */
export const prepareRun = async (request: RunRequest): Promise<PreparedRun> =>
  writeRun(await planRun(request), request);

/** Writes a run as it was planned. One that somebody else has begun meanwhile is continued, where it is the same. */
export async function writeRun(plan: RunPlan, request: RunRequest): Promise<PreparedRun> {
  const { kind, folder, manifest, text, fork } = plan;
  if (kind === 'ended') return plan;
  if (kind === 'new') {
    if ((await folder.read(manifestFile)) !== null)
      return writeRun(await planRun(request), request);
    await folder.write(datasetFile, text);
    if (fork !== null) await takeOver(fork, folder);
  }
  for (const { plugin, code } of request.plugins ?? []) {
    const file = pluginFile(plugin.sha256);
    if ((await folder.read(file)) === null) await folder.write(file, code);
  }
  // Last: without it there is no run.
  await folder.writeJson(manifestFile, manifest);
  return plan;
}

/**
 * What a run would begin with, or the run that is to be continued with what may change. Throws UserError before
 * anything is spent: a flaw in the dataset, a paper the store does not hold, a context that is too short, or a run of
 * this id that is another run, unless that is to be forked.
 * @param origin - what the run is a fork of
 */
export async function planRun(request: RunRequest, origin: Origin | null = null): Promise<RunPlan> {
  const { home, run, dataset, store, config } = request;
  const own = scorersOf(request.plugins ?? []);
  const given = readItems(dataset, own);
  const named = withPaperIds(dataset, given.items, store);
  const { items: asked, warnings } =
    named === dataset.text ? given : readItems({ ...dataset, text: named }, own);
  const { databases, skipped, schemaOf } = await questionDatabases(request, asked);
  const items = asked.filter(({ uuid }) => !skipped.has(uuid));
  const text = skipped.size === 0 ? named : withoutQuestions(named, skipped);
  requireRoom(items, request, schemaOf);
  const folder = new RunFolder(home, run, request.storage);
  const files = scorerFiles(items);
  const manifest: RunManifest = {
    run,
    status: 'running',
    dataset: {
      path: dataset.path,
      fingerprint: createHash('sha256').update(text).digest('hex'),
      items: items.length,
      ...(skipped.size > 0 && { skipped: skipped.size }),
    },
    store: store && {
      name: store.name,
      fingerprint: store.fingerprint,
      collections: store.collections,
      ...(store.papers[0] && { paper: store.papers[0].paperId }),
      ...(store.database && { database: store.database }),
    },
    databases,
    config,
    versions: {
      turnwise: packageVersion(),
      prompts: versionWith(promptVersion, config.prompts),
      judgePrompts: versionWith(judgePromptVersion, config.judging?.prompts),
      schema: String(paperSchemaVersion),
      gitRevision: gitRevision(),
    },
    startedAt: new Date().toISOString(),
    endedAt: null,
    totals: null,
    probes: noProbes,
    ...(request.part && { part: request.part }),
    ...(Object.keys(files).length > 0 && { scorerFiles: files }),
    ...(request.command && { command: request.command }),
    ...(request.evaluation && { evaluation: request.evaluation }),
    ...(origin && { forkedFrom: origin.folder.run }),
    ...(origin?.fromTurn !== undefined && { fromTurn: origin.fromTurn }),
  };
  const before = await folder.manifestIfThere();
  if (!before) await requireUnmarked(folder);
  const datasetNotes = [
    ...warnings,
    ...[...skipped].map(([uuid, why]) => `question ${uuid} is left out: ${why}`),
  ];
  if (!before) {
    const fork = origin && (await planFork(origin, { manifest, items }));
    return { kind: 'new', folder, manifest, items, schemaOf, text, fork, notes: datasetNotes };
  }
  const changed = runDifferences(before, manifest);
  if (changed.length > 0 && request.fork === true) {
    return planRun({ ...request, run: runIdSchema.parse(forkName(run)) }, { folder });
  }
  if (changed.length > 0) {
    throw new UserError(
      `run ${run} exists and was started differently (${changed.join('; ')}); ${request.elsewhere ?? 'choose another id with --run, or add --fork for a run that keeps whatever this leaves as it was'}`,
    );
  }
  if (await hasEnded(folder, before)) {
    const notes = datasetNotes;
    return { kind: 'ended', folder, manifest: before, items, schemaOf, text, fork: null, notes };
  }
  const { concurrency, budget, deadline } = before.config;
  const continued: RunManifest = {
    ...before,
    config: tunedConfig({ ...config, concurrency, budget, deadline }, request.tuning ?? {}),
    status: 'running',
    endedAt: null,
  };
  const notes = [...datasetNotes, ...versionNotes(before, manifest)];
  return {
    kind: 'continued',
    folder,
    manifest: continued,
    items,
    schemaOf,
    text,
    fork: null,
    notes,
  };
}

/** Results and scores that are damaged or missing are made again by a run that goes on. */
async function hasEnded(folder: RunFolder, manifest: RunManifest): Promise<boolean> {
  if (manifest.status !== 'done') return false;
  const count = async (file: string, schema: z.ZodType): Promise<number> => {
    let lines = 0;
    await folder.eachLine(file, schema, () => (lines += 1));
    return lines;
  };
  try {
    const lines = [await count(resultsFile, resultSchema), await count(scoresFile, scoreSchema)];
    return Math.min(...lines) >= samplesOf(manifest);
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/** What is left of a run would be taken for turns of the new one. */
async function requireUnmarked({ run, storage }: RunFolder): Promise<void> {
  if (!(await forUsers(storage, new RunRemoval(openStorage(storage)).isMarked(run)))) return;
  throw new UserError(
    `the removal of run ${run} was interrupted: \`turnwise runs rm ${run}\` completes it, or choose another id with --run`,
  );
}

/** Another program may be why somebody goes on, so it keeps nobody from it. */
function versionNotes(before: RunManifest, now: RunManifest): readonly string[] {
  const name = ({ versions: { turnwise, gitRevision } }: RunManifest): string =>
    gitRevision === null ? turnwise : `${turnwise} (${gitRevision.slice(0, 9)})`;
  return name(before) === name(now)
    ? []
    : [`the run was begun with turnwise ${name(before)} and goes on with ${name(now)}`];
}

function readItems(
  { path, text }: RunRequest['dataset'],
  scorers: ReadonlySet<string>,
): {
  readonly items: readonly DatasetItem[];
  readonly warnings: readonly string[];
} {
  const reading = readDataset(text, scorers);
  if (reading.kind === 'items') {
    return {
      items: reading.items,
      warnings: reading.warnings.map((warning) => `${path}: ${warning}`),
    };
  }
  const [first, ...others] = reading.problems;
  throw new UserError(
    `${path}: ${first ?? 'it cannot be read'}${others.length > 0 ? ` (and ${others.length} more: ${others.slice(0, 4).join('; ')})` : ''}`,
  );
}

/** The lines of a dataset without those of some questions. */
const withoutQuestions = (text: string, skipped: ReadonlyMap<string, string>): string =>
  text
    .split('\n')
    .filter((line) => {
      const { success, data } = datasetItemSchema.safeParse(jsonIn(line));
      return !success || !skipped.has(data.uuid);
    })
    .join('\n');

/** Of the first question: what all have in common is most of what any of them opens with. */
function requireRoom(
  [first]: readonly DatasetItem[],
  { store, config }: RunRequest,
  schemaOf: QuestionDatabases['schemaOf'],
): void {
  const shortfall = first && openingShortfall({ store, config }, first, schemaOf(first));
  if (!shortfall) return;
  throw new UserError(
    `what a question opens with takes about ${shortfall.needed} tokens, and --context-tokens ${config.contextTokens} leaves ${Math.max(0, shortfall.room)} beside a reply of ${config.model.maxTokens}: give the model's whole context, or choose another --method`,
  );
}

/**
 * The text of a dataset, with the ids of papers in the place of their names.
 * @throws UserError where a question names a paper that the store does not hold, or several of it
 */
function withPaperIds(
  { path, text }: RunRequest['dataset'],
  items: readonly DatasetItem[],
  store: StoreManifest | null,
): string {
  if (store === null) return text;
  const named = papersByName(store.papers);
  const faults: string[] = [];
  const idsOf = new Map<unknown, object>();
  for (const { uuid, anchor_pdf, reference_pdf } of items) {
    const { ids, missing, ambiguous } = paperIds(named, anchor_pdf);
    // What a question only refers to may be elsewhere, and then keeps its name.
    const { ids: references } = paperIds(named, reference_pdf);
    const given = [...anchor_pdf, ...reference_pdf];
    if ([...ids, ...references].some((id, index) => id !== given[index])) {
      idsOf.set(uuid, { anchor_pdf: ids, reference_pdf: references });
    }
    faults.push(
      ...missing.map((paper) => `does not hold paper ${paper} of question ${uuid}`),
      ...ambiguous.map((reason) => `may mean several by question ${uuid}: ${reason}`),
    );
  }
  const [first, ...others] = faults;
  if (first !== undefined) {
    throw new UserError(
      `${path}: store ${store.name} ${first}${others.length > 0 ? ` (and ${others.length} more)` : ''}; \`turnwise store show ${store.name}\` lists its papers`,
    );
  }
  if (idsOf.size === 0) return text;
  const lines = text.split('\n').map((line) => {
    // The lines of items are objects.
    const item = exactJsonIn(line) as { readonly uuid?: unknown } | undefined;
    const ids = idsOf.get(item?.uuid);
    return ids === undefined ? line : exactJson({ ...item, ...ids });
  });
  return lines.join('\n');
}

/** Throws UserError where a run cannot repeat the replies of another: it asks what was not asked there, or in another way. */
export async function requireRecorded(
  replayed: RunFolder,
  { manifest, items }: RunPlan,
): Promise<void> {
  const { config } = await replayed.manifest();
  if (config.method !== manifest.config.method) {
    throw new UserError(
      `run ${replayed.run} was made by method ${config.method}: give --method ${config.method}`,
    );
  }
  const asked = new Set((await replayed.items()).map(({ uuid }) => uuid));
  const strangers = items.filter(({ uuid }) => !asked.has(uuid));
  const [first] = strangers;
  if (first) {
    throw new UserError(
      `run ${replayed.run} holds no question ${first.uuid}${strangers.length > 1 ? ` (and ${strangers.length - 1} more)` : ''}: there is no reply to repeat`,
    );
  }
  if (config.epochs < manifest.config.epochs) {
    throw new UserError(
      `run ${replayed.run} asked each question ${config.epochs} times: give --epochs ${config.epochs} or less`,
    );
  }
}

/** What a new run begins from. */
interface Origin {
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

async function planFork(
  { folder: from, fromTurn = Infinity }: Origin,
  now: { readonly manifest: RunManifest; readonly items: readonly DatasetItem[] },
): Promise<Fork> {
  const kept =
    fromTurn === Infinity
      ? keptSamples({ manifest: await from.manifest(), items: await from.items() }, now)
      : sampleKeysOf(now.items, now.manifest.config.epochs);
  const names = new Set(kept.map(keyText));
  const ended = (await from.results())
    .filter((result) => names.has(keyText(result)) && !endedForOutsideReasons[result.outcome.kind])
    .filter(({ turns }) => turns < fromTurn);
  return { from, kept, ended, fromTurn };
}

/**
 * Copies the stored turns, and what judges said, as replies of which nothing is paid again. The scores are not copied:
 * they are made anew, and what judges said counts where the same judges are asked the same.
 */
async function takeOver({ from, kept, fromTurn }: Fork, to: RunFolder): Promise<void> {
  for (const key of kept) await takeOverQuestion(key, from, to, fromTurn);
}

async function takeOverQuestion(
  key: SampleKey,
  from: RunFolder,
  to: RunFolder,
  fromTurn: number,
): Promise<void> {
  const questionContext = await from.questionContext(key);
  const save = (work: (files: RunFilesPort) => Promise<unknown>): Promise<void> =>
    to.store('turns', work);
  if (questionContext !== null) {
    await save((files) => files.saveQuestionContext(to.run, key, questionContext));
  }
  for (const { reply, observation } of await from.turns(key)) {
    if (reply.turn >= fromTurn) break;
    await save((files) => files.saveReply(to.run, key, unpaid(reply)));
    if (observation === null) continue;
    const free = structuredClone(observation);
    delete free.facts?.costUsd;
    await save((files) => files.saveObservation(to.run, key, free));
  }
  for (const reply of await from.judgeReplies(key)) {
    await save((files) => files.saveJudgeReply(to.run, key, unpaid(reply)));
  }
}
