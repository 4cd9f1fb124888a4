import type { ActionSpec } from '../action-spec.js';

export const calculateExpr: ActionSpec = {
  name: 'CalculateExpr',
  description:
    'Work out an arithmetic expression. Use it rather than mental arithmetic whenever an answer is a sum, difference, ratio, mean or comparison of numbers you have seen.',
  observation: 'The value of the expression, or why it has none.',
  parameters: [
    {
      name: 'expr',
      type: 'str',
      description:
        'The expression as Python writes it: + - * / // % **, parentheses, comparisons, lists, and abs, round, min, max, sum and sqrt. It holds numbers only, no names of your own.',
    },
  ],
  examples: [
    {
      explanation:
        'By how many points the second score exceeds the mean of the other two, rounded.',
      action: { kind: 'CalculateExpr', expr: 'round(71.4 - (68.9 + 70.2) / 2, 2)' },
    },
  ],
};
