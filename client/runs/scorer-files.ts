import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import { ownScorerOf } from '../../domain/scoring/own-scorer.js';

/** Larger files are data. */
const mostBytes = 16_000_000;

/**
 * The files of the programs that score these questions, as their commands name them, each with the SHA-256 of its content.
 * The first word counts where no other is a file: otherwise it is what runs them.
 */
export function scorerFiles(items: readonly DatasetItem[]): Readonly<Record<string, string>> {
  const commands = new Set(
    items.flatMap(({ evaluator }) => {
      const scorer = ownScorerOf(evaluator);
      return scorer?.kind === 'program' ? [scorer.command] : [];
    }),
  );
  return Object.fromEntries(
    [...commands].flatMap((command) => {
      const [first, ...others] = wordsOf(command).map(hashed);
      const files = others.flat();
      return files.length > 0 ? files : (first ?? []);
    }),
  );
}

/** As a shell separates them, as far as that takes no shell. */
const wordsOf = (command: string): readonly string[] =>
  [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );

function hashed(word: string): readonly (readonly [string, string])[] {
  const found = statSync(word, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > mostBytes) return [];
  return [[word, createHash('sha256').update(readFileSync(word)).digest('hex')]];
}
