import type { MeasuredPaper } from './papers.js';
import type { Aims, Result, Score } from './report.js';
import {
  scoreAnyAuthor,
  scoreAuthors,
  scoreCaptions,
  scoreCells,
  scoreLevels,
  scoreSections,
  scoreTitle,
} from './structure-measures.js';
import {
  scoreEquations,
  scoreReadingOrder,
  scoreReferenceCount,
  scoreReferenceEntries,
  scoreRunningText,
  scoreSimilarity,
} from './text-measures.js';

export interface Measure extends Pick<Result, 'name' | 'aims' | 'as'> {
  /** For the example papers. @defaultValue a recall of 0.98 */
  readonly exampleAims?: Aims;
  /** Whether it needs a source that says nearly everything, as those of the example papers do. */
  readonly examplesOnly?: true;
  /** Null where a paper does not say how it should be. */
  readonly score: (paper: MeasuredPaper) => Score | null;
}

const where =
  (holds: (paper: MeasuredPaper) => boolean, score: Measure['score']): Measure['score'] =>
  (paper) =>
    holds(paper) ? score(paper) : null;

const hasOutline = ({ content }: MeasuredPaper): boolean => content.outline.length > 0;
const hasColumns = ({ truth }: MeasuredPaper): boolean => truth?.columns === 2;

/** In the order of the table. The beginning of a name chooses measures with `--only`. */
export const measures: readonly Measure[] = [
  {
    name: 'sections of PDFs with an outline',
    aims: { recall: 0.95, precision: 0.97 },
    score: where(hasOutline, scoreSections),
  },
  {
    name: 'sections of PDFs without an outline',
    aims: { recall: 0.85, precision: 0.9 },
    score: where((paper) => !hasOutline(paper), scoreSections),
  },
  { name: 'sections with the right level', aims: {}, score: scoreLevels },
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
    score: (paper) => scoreCaptions('figure', paper),
  },
  {
    name: 'captions of tables, with boxes',
    aims: { recall: 0.97 },
    score: (paper) => scoreCaptions('table', paper),
  },
  {
    name: 'references: papers with the right count',
    aims: { recall: 0.9 },
    score: scoreReferenceCount,
  },
  { name: 'references: entries whole', aims: { recall: 0.98 }, score: scoreReferenceEntries },
  { name: 'cells of tables', aims: {}, score: scoreCells },
  {
    name: 'text similarity of abstract and sections, without references',
    aims: {},
    examplesOnly: true,
    score: scoreSimilarity,
  },
  { name: 'phrases of the source in the running text', aims: {}, score: scoreRunningText },
  { name: 'equations by number', aims: {}, exampleAims: {}, score: scoreEquations },
  {
    name: 'reading order, one column',
    aims: { recall: 0.993 },
    exampleAims: {},
    score: where((paper) => !hasColumns(paper), scoreReadingOrder),
  },
  {
    name: 'reading order, two columns',
    aims: { recall: 0.983 },
    score: where(hasColumns, scoreReadingOrder),
  },
];
