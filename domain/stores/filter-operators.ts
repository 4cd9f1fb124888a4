/** The filter operators, as the prompt describes them. Milvus Lite accepts all of them. */
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

/** With the operators of arrays, which only the entries of pictures have. */
export const pictureOperators = {
  operators: {
    ...filterOperators.operators,
    array: [
      operator('[]', 'bbox[1] < 200', 'One value of the list, counted from 0.'),
      operator('array_contains', 'array_contains(bbox, 72)', 'The list holds the value.'),
      operator('array_length', 'array_length(bbox) == 4', 'How many values the list has.'),
    ],
  },
  'use cases': [
    ...filterOperators['use cases'],
    {
      example: "pdf_id == '…' and page_number == 3 and bbox[1] + bbox[3] <= 400",
      description: 'Only pictures of one page that end above a line across it, in points.',
    },
  ],
} as const;

/** The entries of a database have no paper and no page. */
export const databaseOperators = {
  operators: {
    logical: [
      operator('not', "not (column_name == 'name')", 'Holds where the expression does not.'),
      operator('and', "table_name == 't' and column_name == 'c'", 'Holds where both sides do.'),
      operator('or', "primary_key == '3' or primary_key == '7'", 'Holds where at least one does.'),
    ],
    relational: [
      operator('==', "primary_key == '17'", 'Equal; written with two equal signs.'),
      operator('!=', "primary_key != '17'", 'Not equal.'),
      operator('in', "primary_key in ['3', '7']", 'Equal to one of the listed values.'),
    ],
  },
  'use cases': [
    {
      example: "primary_key in ['3', '7', '12']",
      description: 'Only rows whose keys SQL has found. Keys are texts, in single quotes.',
    },
  ],
} as const;

/** A text in a filter of Milvus. */
export const filterText = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function operator(symbol: string, example: string, description: string): object {
  return { symbol, example, description };
}
