import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { firstIssue } from '../../domain/formats/json.js';
import {
  notesFile,
  noteLineSchema,
  writtenNoteSchema,
  type Note,
  type NoteLine,
} from '../../domain/runs/run-manifest.js';
import { UserError } from '../../domain/user-error.js';
import { noQuestion, type RunFolder } from './run-folder.js';

/** Notes something on a run, or on one of its questions. @param written - as a person has sent it. Throws UserError where it is refused. */
export async function addNote(folder: RunFolder, written: unknown): Promise<Note> {
  const { config } = await folder.manifest();
  const { about, ...said } = checkedLine('note', writtenNoteSchema, written);
  if (about && (about.epoch > config.epochs || !(await folder.hasQuestion(about.uuid)))) {
    throw noQuestion(folder.run, about);
  }
  const note: Note = { kind: 'note', ...newLine(), about, ...said };
  await append(folder, note);
  return note;
}

/** Takes a note away. The file keeps who has written it, and who has removed it. */
export async function removeNote(folder: RunFolder, id: string, by: string): Promise<Note> {
  await folder.manifest();
  const note = (await folder.notes()).find((each) => each.id === id);
  if (note === undefined) {
    throw new UserError(
      `run ${folder.run} has no note ${id}: \`turnwise runs note ${folder.run}\` lists those it has`,
    );
  }
  const removal = { kind: 'removal', ...newLine(), by, note: id };
  await append(folder, checkedLine('note', noteLineSchema, removal));
  return note;
}

/** What every line has that a person adds to a file of a run. */
export const newLine = (): Pick<NoteLine, 'id' | 'at'> => ({
  id: randomBytes(4).toString('hex'),
  at: new Date().toISOString(),
});

const append = (folder: RunFolder, line: NoteLine): Promise<void> =>
  folder.store(notesFile, (files) => files.addLine(folder.run, notesFile, line));

/** What a person has written. @param what - that it is to be. Throws UserError where it is none */
export function checkedLine<Schema extends z.ZodType>(
  what: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UserError(`this is no ${what}: ${firstIssue(parsed.error)}`);
}
