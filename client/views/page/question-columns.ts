import { decimals, grouped, shortDuration } from '../../../domain/formats/text.js';

// What tables of questions have, in reports and in the view.

/** A column whose cells are texts. */
export interface TextColumn<Row> {
  readonly name: string;
  readonly isNumber?: boolean;
  /** What the column is sorted by. Null comes last in both orders. */
  readonly value: (row: Row) => string | number | null;
  readonly text: (row: Row) => string;
  /** A sign before the text for those who see it. */
  readonly mark?: (row: Row) => string;
  /** Of the cells, for the style. */
  readonly kind?: string;
}

export const textColumn = <Row>(
  name: string,
  text: (row: Row) => string | null,
  kind = '',
): TextColumn<Row> => ({ name, value: text, text: (row) => text(row) ?? '', kind });

export const numberColumn = <Row>(
  name: string,
  value: (row: Row) => number | null,
  text: (value: number, row: Row) => string,
  none = '',
): TextColumn<Row> => ({
  name,
  isNumber: true,
  value,
  text: (row) => {
    const shown = value(row);
    return shown === null ? none : text(shown, row);
  },
});

/** A question by what identifies it in a run, and its text. */
export interface NamedQuestion {
  readonly uuid: string;
  readonly epoch: number;
  readonly question: string;
}

export const questionColumn = textColumn<NamedQuestion>(
  'question',
  ({ question }) => question,
  'question',
);

export interface QuestionRow extends NamedQuestion {
  readonly tags: readonly string[];
  /** `not-ended` until it has. */
  readonly outcome: string;
  readonly verdict: string;
  readonly answer: string;
  /** In numbers of its scale. */
  readonly score: number | null;
  /** From 0 to 1. */
  readonly share: number | null;
  readonly turns: number | null;
  /** Null also where it is not known. */
  readonly costUsd: number | null;
  readonly cost: string;
  readonly ms: number | null;
}

export const questionColumns = {
  question: questionColumn,
  answer: textColumn<QuestionRow>('answer', ({ answer }) => answer, 'answer'),
  outcome: textColumn<QuestionRow>('outcome', ({ outcome }) => outcome),
  score: numberColumn<QuestionRow>(
    'score',
    ({ score }) => score,
    (value) => decimals(value),
    '–',
  ),
  turns: numberColumn<QuestionRow>('turns', ({ turns }) => turns, grouped),
  cost: {
    name: 'cost',
    isNumber: true,
    value: ({ costUsd }: QuestionRow): number | null => costUsd,
    text: ({ cost }: QuestionRow): string => cost,
  },
  time: numberColumn<QuestionRow>('time', ({ ms }) => ms, shortDuration),
};

/** A question in two runs. */
export interface ComparedRow extends NamedQuestion {
  readonly change: 'better' | 'worse' | 'same' | 'not comparable';
  /** Why the score changed; null if it did not. */
  readonly because: string | null;
  readonly before: ComparedCell;
  readonly after: ComparedCell;
}

export interface ComparedCell {
  readonly answer: string;
  readonly score: number | null;
}

const changeMarks: Readonly<Record<ComparedRow['change'], string>> = {
  better: '▲',
  worse: '▼',
  same: '=',
  'not comparable': '–',
};

export const comparedColumns = {
  question: questionColumn,
  change: {
    ...textColumn<ComparedRow>('change', ({ change }) => change),
    mark: ({ change }: ComparedRow): string => changeMarks[change],
  },
  because: textColumn<ComparedRow>('because of', ({ because }) => because),
  answerBefore: textColumn<ComparedRow>('answer before', ({ before }) => before.answer, 'answer'),
  answerAfter: textColumn<ComparedRow>('answer after', ({ after }) => after.answer, 'answer'),
  before: numberColumn<ComparedRow>(
    'before',
    ({ before }) => before.score,
    (value) => decimals(value),
    '–',
  ),
  after: numberColumn<ComparedRow>(
    'after',
    ({ after }) => after.score,
    (value) => decimals(value),
    '–',
  ),
};
