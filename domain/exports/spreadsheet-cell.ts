const formula = /^[=+\-@\t\r]/;
const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?%?$/i;

/**
 * A text as a cell of a file that people open in a spreadsheet: one that would run there as a formula gets an apostrophe
 * in front. Models and datasets are strangers. A plain number, such as `-5`, stays what it is.
 */
export const spreadsheetCell = (text: string): string =>
  formula.test(text) && !number.test(text) ? `'${text}` : text;
