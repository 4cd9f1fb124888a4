import type { RunFolder } from '../run-folder.js';
import type { RunFiles } from '../run-ledger.js';

/** What an export is made of. */
export interface RunExport {
  readonly folder: RunFolder;
  readonly files: RunFiles;
  /** The folder it goes to, which is there. */
  readonly out: string;
  /** Whether spans hold the texts of prompts, replies and results. */
  readonly withTexts: boolean;
}
