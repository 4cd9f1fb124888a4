import { scoreAnyAuthor, scoreAuthors, scoreTitle } from './front-measures.js';
import type { MeasuredPaper } from './papers.js';
import type { Score } from './score.js';
import { scoreCaptions, scoreLevels, scoreSections } from './structure-measures.js';
import {
  scoreEquations,
  scoreReadingOrder,
  scoreReferenceCount,
  scoreReferenceEntries,
} from './text-measures.js';

/** What good extraction reaches: shares from 0 to 1. */
interface Aims {
  /** Of true items found. */
  readonly recall?: number;
  /** Of found items that are right. Where it is absent, the measure has no precision. */
  readonly precision?: number;
  /** As `recall`, for the example papers. */
  readonly examples?: number;
  /** `at most` turns the share around: it counts what is not found. @defaultValue at least */
  readonly bound?: 'at most';
}

export interface Measure {
  readonly name: string;
  readonly aims: Aims;
  /** Null where a paper does not say how it should be. */
  readonly score: (paper: MeasuredPaper) => Score | null;
}

type Rule = Measure['score'];

const where =
  (holds: (paper: MeasuredPaper) => boolean, score: Rule): Rule =>
  (paper) =>
    holds(paper) ? score(paper) : null;

const hasOutline = ({ content }: MeasuredPaper): boolean => content.outline.length > 0;
const hasColumns = ({ truth }: MeasuredPaper): boolean => truth?.columns === 2;
const not =
  (holds: (paper: MeasuredPaper) => boolean) =>
  (paper: MeasuredPaper): boolean =>
    !holds(paper);

/** In the order of the table. The beginning of a name chooses measures with `--only`. */
export const measures: readonly Measure[] = [
  {
    name: 'sections of PDFs with an outline',
    aims: { recall: 0.95, precision: 0.97, examples: 0.98 },
    score: where(hasOutline, scoreSections),
  },
  {
    name: 'sections of PDFs without an outline',
    aims: { recall: 0.85, precision: 0.9, examples: 0.98 },
    score: where(not(hasOutline), scoreSections),
  },
  { name: 'sections with the right level', aims: { examples: 0.98 }, score: scoreLevels },
  { name: 'title right', aims: { recall: 0.97, examples: 1 }, score: scoreTitle },
  { name: 'authors exact', aims: { recall: 0.85, examples: 1 }, score: scoreAuthors },
  {
    name: 'authors: none at all',
    aims: { recall: 0.1, examples: 0, bound: 'at most' },
    score: scoreAnyAuthor,
  },
  {
    name: 'captions of figures, with boxes',
    aims: { recall: 0.97, examples: 0.98 },
    score: (paper) => scoreCaptions('figure', paper),
  },
  {
    name: 'captions of tables, with boxes',
    aims: { recall: 0.97, examples: 0.98 },
    score: (paper) => scoreCaptions('table', paper),
  },
  {
    name: 'references: papers with the right count',
    aims: { recall: 0.9, examples: 0.98 },
    score: scoreReferenceCount,
  },
  {
    name: 'references: entries whole',
    aims: { recall: 0.98, examples: 0.98 },
    score: scoreReferenceEntries,
  },
  { name: 'equations by number', aims: {}, score: scoreEquations },
  {
    name: 'reading order, one column',
    aims: { recall: 0.993 },
    score: where(not(hasColumns), scoreReadingOrder),
  },
  {
    name: 'reading order, two columns',
    aims: { recall: 0.983, examples: 0.98 },
    score: where(hasColumns, scoreReadingOrder),
  },
];
