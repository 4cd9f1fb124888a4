/**
 * What a filter may be made of, as the model is told. The set is that of the reference's filter language
 * (hybrid-agent.md §7.6) without arrays, which only image collections have; Milvus Lite accepts all of it.
 */
export const filterOperators = {
  operators: {
    logical: [
      operator('not', 'not (page_number == 1)', 'Holds where the expression does not.'),
      operator('and', "pdf_id == '…' and page_number == 3", 'Holds where both sides do.'),
      operator('or', 'page_number == 1 or page_number == 2', 'Holds where at least one side does.'),
    ],
    arithmetic: [
      operator('+', 'page_number + 1 == 4', 'Sum.'),
      operator('-', 'page_number - 1 == 2', 'Difference.'),
      operator('*', 'page_number * 2 == 6', 'Product.'),
      operator('/', 'page_number / 2 == 3', 'Quotient.'),
      operator('**', 'page_number ** 2 == 9', 'Power.'),
      operator('%', 'page_number % 2 == 0', 'Remainder of the division.'),
    ],
    relational: [
      operator('==', "table_name == 'chunks'", 'Equal; written with two equal signs.'),
      operator('!=', 'page_number != -1', 'Not equal.'),
      operator('<', 'page_number < 5', 'Less.'),
      operator('<=', 'page_number <= 5', 'Less or equal.'),
      operator('>', 'page_number > 5', 'Greater.'),
      operator('>=', 'page_number >= 5', 'Greater or equal.'),
      operator('in', 'page_number in [1, 2, 3]', 'Equal to one of the listed values.'),
    ],
  },
  'use cases': [
    {
      example: "table_name == 'chunks' and column_name == 'text_content'",
      description: 'Only passages: the entries made from one column of one table.',
    },
    {
      example: "pdf_id in ['…', '…'] and page_number <= 2",
      description: 'Only the first two pages of two papers. Texts stand in single quotes.',
    },
  ],
} as const;

function operator(
  symbol: string,
  example: string,
  description: string,
): { readonly symbol: string; readonly example: string; readonly description: string } {
  return { symbol, example, description };
}
