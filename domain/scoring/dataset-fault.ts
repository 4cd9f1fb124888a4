/** What `turnwise dataset check` looks for, in the order in which it is shown. */
export const datasetChecks = {
  item: 'the line is a question whose scorer can be used, and does what its author meant',
  'no-scorer': 'something scores the answers, where it does for other questions',
  'empty-gold': 'there is a right answer',
  'cannot-fail': 'an empty answer, a refusal, nonsense and a wrong answer score 0',
  'gold-scores': 'the right answer scores 1',
  'gold-fails': 'the gold SQL runs, within the limits of a result',
  'gold-varies': 'the gold SQL returns the same whenever it runs',
  'gold-empty': 'the gold SQL returns a value',
  'gold-order': 'the gold SQL orders all rows, where their order counts',
  'gold-limit': 'no LIMIT of the gold SQL chooses among rows that tie',
  'gold-unstable':
    'rows of NULL, which meet no condition, change nothing in what the gold SQL returns',
  'gold-absent': 'the store holds the words of the gold',
  'near-duplicate': 'no other question asks the same',
  'anchor-missing': 'the store holds the papers that the question names',
} as const;
export type DatasetCheck = keyof typeof datasetChecks;

/** `reason` is one sentence, without a full stop. */
export interface Fault {
  readonly check: DatasetCheck;
  readonly reason: string;
}
