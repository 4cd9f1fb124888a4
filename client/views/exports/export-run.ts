import { execFile } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ZipFile } from 'yazl';
import { answerTraceSchema } from '../../../domain/agent/database-qa/answer-trace.js';
import { wellFormedJsonOf, canonicalJson, wellFormedJson } from '../../../domain/formats/json.js';
import { preview } from '../../../domain/formats/text.js';
import { groupBy } from '../../../domain/statistics/means.js';
import { keyText } from '../../../domain/ids.js';
import {
  traceFile,
  askingFile,
  askingSchema,
  manifestFile,
  notesAbout,
} from '../../../domain/runs/run-manifest.js';
import { renderDatabaseDdl } from '../../../domain/stores/database-schema.js';
import type { DescribedDatabase } from '../../../domain/stores/database.js';
import { UserError } from '../../../domain/user-error.js';
import { latestPanels } from '../../runs/database-qa/database-runs.js';
import { askedDatabase, storedDescription } from '../../runs/database-qa/question-databases.js';
import { type RunFolder, forUsers } from '../../runs/run-folder.js';
import { answersIn, type RunFiles } from '../../runs/scoring/run-scores.js';
import { workerProgram } from '../../services/programs.js';
import { wholeFile } from '../../services/read-file.js';
import { inspectHeader, inspectStart, inspectSample } from './inspect-log.js';
import type { InspectObject } from './inspect-messages.js';
import { questionTrace } from './question-spans.js';
import type { RecordedAnswer, RecordedQuestion } from './recorded-question.js';
import { resultColumns, resultRow, spreadsheetRow, textColumns } from './result-table.js';
import type { StoredTurn } from '../../../domain/agent/turn-record.js';
import {
  callOfJudge,
  callsOfTurn,
  callsWithoutReply,
  foundOf,
  ReceiptLines,
  type ReceiptCall,
  type ReceiptQuestion,
} from '../../../domain/runs/receipt.js';
import type { RunAnswer } from '../../../domain/scoring/answer.js';
import { sha256Of } from '../../../storage/sha256.js';

/** The formats of an export, besides the run's own files. */
export const exportFormats = ['csv', 'parquet', 'json', 'inspect', 'otel', 'receipt'] as const;
type ExportFormat = (typeof exportFormats)[number];

/** The input of an export. */
interface RunExport {
  readonly folder: RunFolder;
  readonly files: RunFiles;
  /** The existing folder to write to. */
  readonly out: string;
  /** Whether spans contain the texts of prompts, replies and results. */
  readonly withTexts: boolean;
}

/** Every question in every epoch, in the run's order. Each is read from its files when the iteration reaches it. */
async function* recordedAnswers({
  folder,
  files,
}: RunExport): AsyncGenerator<RecordedAnswer & Pick<RecordedQuestion, 'database'>, void> {
  const { manifest } = files;
  const panelsOf = groupBy(await latestPanels(folder), keyText);
  const described = new Map<string, Promise<DescribedDatabase | null>>();
  for (const answer of answersIn(files)) {
    const key = { uuid: answer.item.uuid, epoch: answer.epoch };
    const source = askedDatabase(manifest, answer.item);
    const name = JSON.stringify(source);
    const reading = described.get(name) ?? (source && storedDescription(folder.place, source));
    if (reading !== null) described.set(name, reading);
    const description = await reading;
    yield {
      ...{ ...answer, manifest, notes: notesAbout(files.notes, key) },
      trace: await folder.readJson(traceFile(key), answerTraceSchema),
      panels: panelsOf.get(keyText(key)) ?? [],
      execution: await folder.execution(key),
      tables: source && description && { ...source, tables: description.tables },
      database: description && renderDatabaseDdl(description),
    };
  }
}

/** Those that have ended, with their turns. */
async function* recordedQuestions(run: RunExport): AsyncGenerator<RecordedQuestion, void> {
  for await (const { result, ...answer } of recordedAnswers(run)) {
    if (result === null) continue;
    yield {
      ...{ ...answer, result },
      questionContext: await run.folder.questionContext(result),
      turns: await run.folder.turns(result),
    };
  }
}

/** Writes a log of Inspect AI: a zip of JSON. Returns the file's name. */
async function writeInspectLog(run: RunExport): Promise<string> {
  const { files, out } = run;
  const { manifest } = files;
  const name = `${manifest.run}.eval`;
  // Fixed times and modes, so that the same run always gives the same bytes.
  const options = { mtime: new Date(manifest.startedAt), mode: 0o100644 };
  await wholeFile(join(out, name), async (draft) => {
    const zip = new ZipFile();
    const add = (path: string, content: InspectObject | readonly InspectObject[]): void =>
      zip.addBuffer(Buffer.from(wellFormedJsonOf(content)), path, options);
    const written = pipeline(zip.outputStream, createWriteStream(draft));
    add('_journal/start.json', inspectStart(files));
    const summaries: InspectObject[] = [];
    for await (const question of recordedQuestions(run)) {
      const { sample, summary } = inspectSample(question);
      const { uuid, epoch } = question.result;
      add(`samples/${uuid}_epoch_${epoch}.json`, sample);
      summaries.push(summary);
      // Lets the zip compress and write this sample before the next is read, which bounds the memory.
      await setImmediate();
    }
    add('summaries.json', summaries);
    add('header.json', inspectHeader(files));
    zip.end();
    await written;
  });
  return name;
}

/** Returns the file's name. */
async function writeLines(
  out: string,
  name: string,
  lines: AsyncIterable<string>,
): Promise<string> {
  await wholeFile(join(out, name), (draft) =>
    pipeline(Readable.from(lines), createWriteStream(draft)),
  );
  return name;
}

/** OpenTelemetry spans in the format of its file exporter: OTLP JSON, one trace a line. */
async function* traces(run: RunExport): AsyncGenerator<string, void> {
  for await (const question of recordedQuestions(run)) {
    yield `${wellFormedJsonOf(questionTrace(question, run.withTexts))}\n`;
  }
}

/** Writes results joined with scores, a JSON object a line. Returns the file's name. */
async function writeAnswers(run: RunExport): Promise<string> {
  const name = 'answers.jsonl';
  await wholeFile(join(run.out, name), async (draft) => {
    await writeRows(run, (row) => row, draft);
  });
  return name;
}

/** Writes a row a line. Returns the bytes of the longest line. */
async function writeRows(
  run: RunExport,
  rowOf: typeof spreadsheetRow,
  path: string,
): Promise<number> {
  let longest = 0;
  const lines = async function* (): AsyncGenerator<string, void> {
    for await (const answer of recordedAnswers(run)) {
      const line = `${wellFormedJsonOf(rowOf(resultRow(answer)))}\n`;
      longest = Math.max(longest, Buffer.byteLength(line));
      yield line;
    }
  };
  await pipeline(Readable.from(lines()), createWriteStream(path));
  return longest;
}

/** The writer of each format. Each returns the name of its file. */
export const exportWriters: Readonly<Record<ExportFormat, (run: RunExport) => Promise<string>>> = {
  csv: (run) => writeResultTable(run, 'csv'),
  parquet: (run) => writeResultTable(run, 'parquet'),
  json: writeAnswers,
  inspect: writeInspectLog,
  otel: (run) => writeLines(run.out, 'traces.jsonl', traces(run)),
  receipt: ({ out, folder, files }) => writeLines(out, 'receipt.jsonl', receiptOf(folder, files)),
};

const run = promisify(execFile);

/** Writes results joined with scores. Returns the file's name. */
async function writeResultTable(exported: RunExport, format: 'csv' | 'parquet'): Promise<string> {
  const name = `results.${format}`;
  const path = join(exported.out, name);
  const [rowOf, columns] =
    format === 'csv'
      ? [spreadsheetRow, textColumns]
      : [(row: ReturnType<typeof resultRow>) => row, resultColumns];
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-export-'));
  try {
    const rows = join(folder, 'rows.jsonl');
    const longest = await writeRows(exported, rowOf, rows);
    await wholeFile(path, async (draft) => {
      const args = [rows, String(longest), JSON.stringify(columns), draft];
      await run(process.execPath, [workerProgram('write-table'), ...args]).catch(
        (error: unknown) => {
          const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
          throw new UserError(`${path} cannot be written: ${preview(stderr, 300)}`);
        },
      );
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return name;
}

/** The lines of a run's receipt: every attempt at every call, and what the run found out, by digests. */
async function* receiptOf(folder: RunFolder, files: RunFiles): AsyncGenerator<string, void> {
  const { run, config, versions, dataset, store, databases, ...manifest } = files.manifest;
  const lines = new ReceiptLines(sha256Of);
  yield lines.header({
    ...{ run, turnwise: versions.turnwise, method: config.method },
    models: [config.model, ...(config.judging?.models ?? [])].map(({ name }) => name),
    ...{ startedAt: manifest.startedAt, endedAt: manifest.endedAt },
    // Of the file beside the receipt.
    manifest: sha256Of(wellFormedJson((await folder.read(manifestFile)) ?? '')),
    dataset: dataset.fingerprint,
    ...{ prompts: versions.prompts, judgePrompts: versions.judgePrompts },
    store: store && { name: store.name, fingerprint: store.fingerprint },
    databases: sha256Of(canonicalJson(databases)),
    // Each of them is not recorded.
    probes: manifest.probes,
  });
  for (const answer of answersIn(files)) yield lines.question(await questionOf(folder, answer));
  yield lines.seal();
}

async function questionOf(folder: RunFolder, answer: RunAnswer): Promise<ReceiptQuestion> {
  const { files, run, path } = folder;
  const { uuid, epoch, result } = answer;
  const calls: ReceiptCall[] = [];
  const askedAgain: { readonly asking: number; readonly anew: boolean }[] = [];
  let turns: readonly StoredTurn[] = [];
  const last = await forUsers(path, files.asking(run, { uuid, epoch }));
  for (let asking = 1; asking <= last; asking += 1) {
    const key = { uuid, epoch, asking };
    const again = asking > 1 ? await folder.readJson(askingFile(key, asking), askingSchema) : null;
    if (again !== null) askedAgain.push({ asking, anew: again.anew });
    // Otherwise it goes on with the turns of the one before.
    if (again === null || again.anew) {
      const stored = await folder.turns(key);
      const judged = (await folder.judgeReplies(key)).toSorted((a, b) =>
        `${a.startedAt} ${a.request}` < `${b.startedAt} ${b.request}` ? -1 : 1,
      );
      calls.push(...stored.flatMap(({ reply }) => callsOfTurn(reply, asking)));
      calls.push(...judged.map((reply) => callOfJudge(reply, asking)));
      if (asking <= (result?.asking ?? 1)) turns = stored;
    }
    const end = await forUsers(path, files.end(run, key));
    if (end !== null) calls.push(...callsWithoutReply(end.result, asking));
  }
  return { uuid, epoch, askedAgain, found: foundOf(answer, turns, sha256Of), calls };
}
