import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { inspectHeader, inspectStart } from '../../domain/exports/inspect/inspect-log.js';
import type { InspectObject } from '../../domain/exports/inspect/inspect-object.js';
import { inspectSample } from '../../domain/exports/inspect/inspect-sample.js';
import { recordedQuestions } from './recorded-questions.js';
import type { RunExport } from './run-export.js';
import { wholeFile } from '../whole-file.js';

/** Writes a log of Inspect AI: a zip of JSON. Returns the file's name. */
export async function writeInspectLog(run: RunExport): Promise<string> {
  const { files, out } = run;
  const { manifest } = files;
  const name = `${manifest.run}.eval`;
  // The same run makes the same bytes.
  const options = { mtime: new Date(manifest.startedAt), mode: 0o100644 };
  await wholeFile(join(out, name), async (draft) => {
    const zip = new ZipFile();
    const add = (path: string, content: InspectObject | readonly InspectObject[]): void =>
      zip.addBuffer(Buffer.from(JSON.stringify(content)), path, options);
    const written = pipeline(zip.outputStream, createWriteStream(draft));
    add('_journal/start.json', inspectStart(files));
    const summaries: InspectObject[] = [];
    for await (const question of recordedQuestions(run)) {
      const { sample, summary } = inspectSample(question);
      const { uuid, epoch } = question.result;
      add(`samples/${uuid}_epoch_${epoch}.json`, sample);
      summaries.push(summary);
      // Lets what is there be compressed and written, so that a large run never lies in memory whole.
      await setImmediate();
    }
    add('summaries.json', summaries);
    add('header.json', inspectHeader(files));
    zip.end();
    await written;
  });
  return name;
}
