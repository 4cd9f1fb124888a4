import type { CommandLine } from './shared/command-line.js';
import { flag, formatOptions, type FlagsOf } from '../../domain/option.js';
import { diskUse, freeDisk, type DiskUse } from '../runs/removal/disk-use.js';
import { removeOldGenerations } from '../runs/stores/store-workflows.js';
import { loadEnvironment } from '../services/environment.js';
import { printSections, tellSections } from '../views/print-sections.js';
import { wordsSection, listSection, toned, type Section } from '../views/sections/section.js';
import { isToRemove, withSession } from './shared/execute.js';
import { counted, joined, preview, sizeText } from '../../domain/formats/text.js';
import { sum } from '../../domain/statistics/means.js';

const diskOptions = {
  free: flag('remove what nobody needs'),
  yes: flag('without asking; needed where there is no terminal'),
  ...formatOptions,
};

export function registerDisk(program: CommandLine): void {
  program
    .command('disk')
    .description('what takes space in the home and in the storage, who needs it, and what can go')
    .takes(diskOptions)
    .action(disk);
}

async function disk(flags: FlagsOf<typeof diskOptions>): Promise<void> {
  const environment = loadEnvironment();
  const uses = await diskUse(environment);
  if (!flags.free) {
    printSections(flags, { title: 'Disk', sections: [diskSection(uses)], data: uses });
    return;
  }
  const unneeded = uses.filter((use) => use.unneeded !== null);
  if (unneeded.length > 0) {
    tellSections([diskSection(unneeded)], true);
    if (!(await isToRemove(unneededText(unneeded), flags.yes))) return;
  }
  const data = await freeDisk(environment, unneeded, (store, runs) =>
    withSession(environment, (session) => removeOldGenerations(session, store, runs)),
  );
  const words = data.length > 0 ? `removed ${unneededText(data)}` : 'nothing was removed';
  printSections(flags, {
    title: 'Removed',
    sections: [wordsSection('disk', 'Removed', words)],
    data,
  });
}

const unneededSize = (uses: readonly DiskUse[]): string =>
  sizeText(sum(uses.map(({ unneeded }) => unneeded?.bytes ?? 0)));

/** What nobody needs, inside a sentence. */
export const unneededText = (uses: readonly DiskUse[]): string =>
  `what nobody needs of ${uses.length === 1 ? (uses[0]?.name ?? '') : counted(uses.length, 'thing')} (${unneededSize(uses)})`;

/** What takes space, and what of it nobody needs. */
export function diskSection(uses: readonly DiskUse[]): Section {
  const section = listSection('disk', 'Disk', 'nothing takes any space', {
    heads: ['what', 'size', 'files', 'used by', 'needed by nobody'],
    rows: uses.map(({ name, bytes, objects, usedBy, unneeded }) => [
      ...[name, sizeText(bytes), objects, preview(usedBy.join(', '), 60)],
      unneeded === null ? '' : toned(sizeText(unneeded.bytes), 'warning'),
    ]),
  });
  const words = joined(
    '; ',
    `${sizeText(sum(uses.map(({ bytes }) => bytes)))} in all`,
    uses.some(({ unneeded }) => unneeded !== null) &&
      `nobody needs ${unneededSize(uses)} of it: \`turnwise disk --free\` removes that`,
  );
  return uses.length === 0 ? section : { ...section, words: [words] };
}
