import type { Command } from 'commander';
import { z } from 'zod';
import { runIdSchema, type RunId } from '../../../domain/ids.js';
import { jsonOption, option, whole, type FlagsOf } from '../../../domain/option.js';
import { notesAbout, noteTagSchema, noteTextSchema } from '../../../domain/runs/run-manifest.js';
import { UserError } from '../../../domain/user-error.js';
import { addNote, removeNote } from '../../runs/note-run.js';
import { RunFolder } from '../../runs/run-folder.js';
import { loadEnvironment } from '../../services/environment.js';
import { printResult } from '../../services/tell.js';
import { noteRemovedText, notedText } from '../../views/print-summary.js';
import { noteLine } from '../../views/run-text.js';
import { addOptions, parseArgument, personOption } from '../shared/arguments.js';

const noteOptions = {
  text: option('<text>', 'what is noted', noteTextSchema.optional()),
  tag: option('<tag>', 'by which it is found', z.array(noteTagSchema).optional()),
  by: personOption('who notes it'),
  remove: option('<id>', 'take a note away, as the list names it', z.string().optional(), [
    'text',
    'tag',
  ]),
  epoch: option('<n>', 'which time the question was asked (default: 1)', whole(1, 1000).optional()),
  ...jsonOption,
};

export function registerNote(runs: Command): void {
  const command = runs
    .command('note')
    .description(
      'note something on a run or a question of it; without a text or tag, list its notes',
    )
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .argument('[question]', 'uuid of the question, or how it begins');
  addOptions(command, noteOptions).action(note);
}

async function note(
  run: RunId,
  begins: string | undefined,
  { text, tag, by, remove, epoch, json }: FlagsOf<typeof noteOptions>,
): Promise<void> {
  const folder = RunFolder.of(loadEnvironment(), run);
  await folder.manifest();
  if (begins === undefined && epoch !== undefined) {
    throw new UserError('--epoch is of a question: name it');
  }
  const about =
    begins === undefined ? null : { uuid: await folder.question(begins), epoch: epoch ?? 1 };
  if (remove !== undefined) {
    const removed = await removeNote(folder, remove, by);
    printResult(json, removed, `run ${run} ${noteRemovedText(removed)}`);
  } else if (text !== undefined || tag !== undefined) {
    const added = await addNote(folder, { by, about, text, tags: tag });
    printResult(json, added, `run ${run} ${notedText(added)}`);
  } else {
    const all = await folder.notes();
    const shown = about ? notesAbout(all, about) : all;
    const none = `no notes on ${about ? `question ${about.uuid} of ` : ''}run ${run} yet: --text and --tag write one`;
    printResult(json, shown, shown.map(noteLine).join('\n') || none);
  }
}
