/** Rows as lines with aligned columns. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const width = (column: number): number =>
    Math.max(...rows.map((row) => lengthOf(row[column] ?? '')));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat(width(column) - lengthOf(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** In code points, as `preview` counts. */
const lengthOf = (text: string): number => Array.from(text).length;
