import { scoreAnyAuthor, scoreAuthors, scoreTitle } from './front-measures.js';
import type { MeasuredPaper } from './papers.js';
import type { Aims, Result } from './report.js';
import type { Score } from './score.js';
import { scoreCaptions, scoreCells, scoreLevels, scoreSections } from './structure-measures.js';
import { scoreSimilarity } from './text-similarity.js';
import {
  scoreEquations,
  scoreReadingOrder,
  scoreReferenceCount,
  scoreReferenceEntries,
  scoreRunningText,
} from './text-measures.js';

export interface Measure extends Pick<Result, 'name' | 'aims' | 'as'> {
  /** For the example papers. */
  readonly exampleAims: Aims;
  /** Whether it needs a source that says nearly everything, as those of the example papers do. */
  readonly examplesOnly?: true;
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
    aims: { recall: 0.95, precision: 0.97 },
    exampleAims: { recall: 0.98 },
    score: where(hasOutline, scoreSections),
  },
  {
    name: 'sections of PDFs without an outline',
    aims: { recall: 0.85, precision: 0.9 },
    exampleAims: { recall: 0.98 },
    score: where(not(hasOutline), scoreSections),
  },
  {
    name: 'sections with the right level',
    aims: {},
    exampleAims: { recall: 0.98 },
    score: scoreLevels,
  },
  { name: 'title right', aims: { recall: 0.97 }, exampleAims: { recall: 1 }, score: scoreTitle },
  {
    name: 'authors exact',
    aims: { recall: 0.85 },
    exampleAims: { recall: 1 },
    score: scoreAuthors,
  },
  {
    name: 'authors: none at all',
    aims: { recall: 0.1 },
    exampleAims: { recall: 0 },
    as: 'share missed',
    score: scoreAnyAuthor,
  },
  {
    name: 'captions of figures, with boxes',
    aims: { recall: 0.97 },
    exampleAims: { recall: 0.98 },
    score: (paper) => scoreCaptions('figure', paper),
  },
  {
    name: 'captions of tables, with boxes',
    aims: { recall: 0.97 },
    exampleAims: { recall: 0.98 },
    score: (paper) => scoreCaptions('table', paper),
  },
  {
    name: 'references: papers with the right count',
    aims: { recall: 0.9 },
    exampleAims: { recall: 0.98 },
    score: scoreReferenceCount,
  },
  {
    name: 'references: entries whole',
    aims: { recall: 0.98 },
    exampleAims: { recall: 0.98 },
    score: scoreReferenceEntries,
  },
  {
    name: 'cells of tables',
    aims: {},
    exampleAims: { recall: 0.98 },
    score: scoreCells,
  },
  {
    name: 'text similarity of abstract and sections, without references',
    aims: {},
    exampleAims: { recall: 0.98 },
    examplesOnly: true,
    score: scoreSimilarity,
  },
  {
    name: 'phrases of the source in the running text',
    aims: {},
    exampleAims: { recall: 0.98 },
    score: scoreRunningText,
  },
  { name: 'equations by number', aims: {}, exampleAims: {}, score: scoreEquations },
  {
    name: 'reading order, one column',
    aims: { recall: 0.993 },
    exampleAims: {},
    score: where(not(hasColumns), scoreReadingOrder),
  },
  {
    name: 'reading order, two columns',
    aims: { recall: 0.983 },
    exampleAims: { recall: 0.98 },
    score: where(hasColumns, scoreReadingOrder),
  },
];
