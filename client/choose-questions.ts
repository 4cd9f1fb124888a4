import { createHash } from 'node:crypto';
import { readDataset } from '../domain/questions/dataset.js';

/** Which questions of a dataset a run is about. */
export type QuestionChoice =
  | { readonly kind: 'all' }
  | { readonly kind: 'first'; readonly count: number }
  | { readonly kind: 'sample'; readonly count: number; readonly seed: number };

/** The part of a dataset's text that holds the chosen questions, in the dataset's order. */
export function chooseQuestions(text: string, choice: QuestionChoice): string {
  switch (choice.kind) {
    case 'all':
      return text;
    case 'first':
      return firstQuestions(text, choice.count);
    case 'sample':
      return sampledQuestions(text, choice.count, choice.seed);
  }
}

/** Blank lines are kept, so that a flaw is named by its line in the file. */
function firstQuestions(text: string, count: number): string {
  const lines = text.split('\n');
  const places = lines.flatMap((line, index) => (line.trim() === '' ? [] : [index]));
  return lines.slice(0, (places[count - 1] ?? lines.length) + 1).join('\n');
}

/**
 * The questions whose ids hash lowest: the same ones on every machine and in any order of the file, and a larger
 * sample of the same seed holds the smaller one.
 */
function sampledQuestions(text: string, count: number, seed: number): string {
  const dataset = readDataset(text);
  // Whoever reads it next names its flaws.
  if (dataset.kind === 'problems') return text;
  const rank = (uuid: string): string =>
    createHash('sha256').update(`${seed} ${uuid}`).digest('hex');
  const uuids = dataset.items.map(({ uuid }) => uuid);
  const chosen = new Set<string>(
    [...uuids].sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, count),
  );
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.filter((_, index) => chosen.has(uuids[index] ?? '')).join('\n');
}
