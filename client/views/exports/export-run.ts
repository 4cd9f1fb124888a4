import { execFile } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ZipFile } from 'yazl';
import { exactJson } from '../../../domain/formats/json.js';
import { preview } from '../../../domain/formats/text.js';
import { UserError } from '../../../domain/user-error.js';
import { storedSchema } from '../../runs/database-qa/question-databases.js';
import type { RunFolder } from '../../runs/run-folder.js';
import { answersIn, type RunFiles } from '../../runs/scoring/run-scores.js';
import { workerProgram } from '../../services/programs.js';
import { wholeFile } from '../../services/read-file.js';
import { inspectHeader, inspectStart, inspectSample } from './inspect-log.js';
import type { InspectObject } from './inspect-messages.js';
import { questionTrace } from './question-spans.js';
import type { RecordedQuestion } from './recorded-question.js';
import { resultColumns, resultRows, spreadsheetRow, textColumns } from './result-table.js';

/** The formats of an export, besides the run's own files. */
export const exportFormats = ['csv', 'parquet', 'inspect', 'otel'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The input of an export. */
interface RunExport {
  readonly folder: RunFolder;
  readonly files: RunFiles;
  /** The existing folder to write to. */
  readonly out: string;
  /** Whether spans contain the texts of prompts, replies and results. */
  readonly withTexts: boolean;
}

/** The ended questions of a run, in the run's order. Each is read from its files when the iteration reaches it. */
async function* recordedQuestions({
  folder,
  files,
}: RunExport): AsyncGenerator<RecordedQuestion, void> {
  const { manifest } = files;
  for (const { item, result, score } of answersIn(files)) {
    if (result === null) continue;
    yield {
      ...{ manifest, item, result, score },
      database: await storedSchema(folder.place, manifest, item),
      questionContext: await folder.questionContext(result),
      turns: await folder.turns(result),
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
      zip.addBuffer(Buffer.from(exactJson(content)), path, options);
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

/** Writes OpenTelemetry spans in the format of its file exporter: OTLP JSON, one trace a line. Returns the file's name. */
async function writeTraces(run: RunExport): Promise<string> {
  const name = 'traces.jsonl';
  await wholeFile(join(run.out, name), (draft) =>
    pipeline(Readable.from(lines(run)), createWriteStream(draft)),
  );
  return name;
}

async function* lines(run: RunExport): AsyncGenerator<string, void> {
  for await (const question of recordedQuestions(run)) {
    yield `${JSON.stringify(questionTrace(question, run.withTexts))}\n`;
  }
}

/** The writer of each format. Each returns the name of its file. */
export const exportWriters: Readonly<Record<ExportFormat, (run: RunExport) => Promise<string>>> = {
  csv: (run) => writeResultTable(run, 'csv'),
  parquet: (run) => writeResultTable(run, 'parquet'),
  inspect: writeInspectLog,
  otel: writeTraces,
};

const run = promisify(execFile);

/** Writes results joined with scores. Returns the file's name. */
async function writeResultTable(
  { files, out }: RunExport,
  format: 'csv' | 'parquet',
): Promise<string> {
  const name = `results.${format}`;
  const rows = resultRows(files);
  const [written, columns] =
    format === 'csv' ? [rows.map(spreadsheetRow), textColumns] : [rows, resultColumns];
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-export-'));
  try {
    const lines = join(folder, 'rows.jsonl');
    writeFileSync(lines, written.map((row) => `${JSON.stringify(row)}\n`).join(''));
    await wholeFile(join(out, name), async (draft) => {
      const args = [workerProgram('write-table'), lines, JSON.stringify(columns), draft];
      await run(process.execPath, args).catch((error: unknown) => {
        const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
        throw new UserError(`${join(out, name)} cannot be written: ${preview(stderr, 300)}`);
      });
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return name;
}
