import type { Command } from 'commander';
import { flag, formatOptions, type FlagsOf } from '../../domain/option.js';
import { diskUse, freeDisk } from '../runs/removal/disk-use.js';
import { removeOldGenerations } from '../runs/stores/store-workflows.js';
import { loadEnvironment } from '../services/environment.js';
import { printSections, tellSections } from '../views/print-sections.js';
import { diskSection, unneededText } from '../views/sections/disk.js';
import { wordsSection } from '../views/sections/section.js';
import { addOptions } from './shared/arguments.js';
import { isToRemove, withSession } from './shared/execute.js';

const diskOptions = {
  free: flag('remove what nobody needs'),
  yes: flag('without asking; needed where there is no terminal'),
  ...formatOptions,
};

export function registerDisk(program: Command): void {
  const command = program
    .command('disk')
    .description('what takes space in the home and in the storage, who needs it, and what can go');
  addOptions(command, diskOptions).action(disk);
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
