import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { questionTrace } from '../../domain/exports/otel/question-spans.js';
import { recordedQuestions } from './recorded-questions.js';
import type { RunExport } from './run-export.js';
import { wholeFile } from '../whole-file.js';

/** Writes OpenTelemetry spans in the form of its file exporter: OTLP's JSON, a trace a line. Returns the file's name. */
export async function writeTraces(run: RunExport): Promise<string> {
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
