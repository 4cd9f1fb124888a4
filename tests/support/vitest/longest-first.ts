import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take minutes and do not look it: documents whose every command is run. */
const longest = ['docs.test.ts'];

/** Starts the files that wait for engines first: the short ones then run beside them, and none of the long ones is left for the end. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ project, moduleId }: TestSpecification): number {
  if (longest.includes(basename(moduleId))) return 0;
  return project.name === 'engines' ? 1 : 2;
}
