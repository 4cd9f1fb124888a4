import type { CommandLine } from './shared/command-line.js';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { didYouMean } from '../../domain/formats/did-you-mean.js';
import { UserError } from '../../domain/user-error.js';
import { print } from '../services/tell.js';
import { packageRoot } from '../services/programs.js';
import { printSections } from '../views/print-sections.js';
import { listSection } from '../views/sections/section.js';
import { type FlagsOf, formatOptions } from '../../domain/option.js';

export function registerDocs(program: CommandLine): void {
  program
    .command('docs')
    .description('the pages of the documentation of this version, or one of them')
    .argument('[page]', 'its name, such as scores (default: the list of all)')
    .takes(formatOptions)
    .action(docs);
}

/** The folders of the pages: to begin with, to do something, to look something up, and why it is so. */
const kinds = ['first-day', 'how-to', 'reference', 'explanation'] as const;

/** The pages as they are in the package. A decision is a page, too, and is in no list. */
function docs(name: string | undefined, flags: FlagsOf<typeof formatOptions>): void {
  const pages = kinds.flatMap((kind) =>
    pagesIn(`docs/${kind}`).map((page) => ({ ...page, kind: kind.replace('-', ' ') })),
  );
  if (name === undefined) {
    const data = pages.map(({ path, text, ...page }) => ({ ...page, path, title: titleOf(text) }));
    const section = listSection('docs', 'Documentation', 'there are no pages', {
      heads: ['page', 'title', 'kind', 'file'],
      rows: data.map((page) => [page.name, page.title, page.kind, page.path]),
    });
    printSections(flags, { title: 'Documentation of turnwise', sections: [section], data });
    return;
  }
  const wanted = basename(name, '.md');
  const page = [...pages, ...pagesIn('docs/explanation/decisions')].find(
    (each) => each.name === wanted,
  );
  if (page === undefined) {
    const names = pages.map((each) => each.name);
    throw new UserError(
      `there is no page '${name}'${didYouMean(wanted, names)}: \`turnwise docs\` lists all`,
    );
  }
  print(page.text.trimEnd());
}

interface DocsPage {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

const pagesIn = (folder: string): readonly DocsPage[] =>
  readdirSync(join(packageRoot, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => {
      const path = join(packageRoot, folder, file);
      return { name: basename(file, '.md'), path, text: readFileSync(path, 'utf8') };
    });

const titleOf = (text: string): string => /^# (.*)/m.exec(text)?.[1] ?? '';
