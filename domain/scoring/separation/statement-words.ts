/** What statements say about columns, read from their words, whatever the dialect. Names are in small letters. */
export interface StatementWords {
  /** All names, of whatever. */
  readonly names: ReadonlySet<string>;
  /** The numbers and texts that stand behind the name of a column. */
  readonly constants: ReadonlyMap<string, ReadonlySet<string>>;
  /** Small whole numbers: how many rows a group may need. */
  readonly counts: readonly number[];
  /** Names of columns that are compared with each other. */
  readonly joined: readonly (readonly [string, string])[];
}

const words =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[\p{L}_][^\]]*\]|(?:(?<![\p{L}\p{N}_)]\s*)-)?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[\p{L}_][\p{L}\p{N}_$]*|[^\s]/giu;

const unquoted = (word: string): string => word.replace(/^["'`[]|["'`\]]$/g, '');

/** @param columns - the names of all columns, in small letters */
export function statementWords(
  statements: readonly string[],
  columns: ReadonlySet<string>,
): StatementWords {
  const [names, counts] = [new Set<string>(), new Set<number>()];
  const constants = new Map<string, Set<string>>();
  const joined: [string, string][] = [];
  for (const sql of statements) {
    const all = [...sql.matchAll(words)]
      .map(([word]) => word)
      .filter((word) => !/^(?:--|\/\*)/.test(word));
    /** The columns for which other names stand. */
    const aliases = new Map<string, string>();
    const columnAt = (at: number): string | undefined => {
      const word = all[at] ?? '';
      // `DATE '2024-01-01'`
      if (word.startsWith("'") || all[at + 1]?.startsWith("'")) return undefined;
      const name = unquoted(word).toLowerCase();
      return columns.has(name) ? name : aliases.get(name);
    };
    // Before the first column stands what is compared with it, or shown.
    let last = all.map((_, at) => columnAt(at)).find((name) => name !== undefined);
    for (const [at, word] of all.entries()) {
      const name = unquoted(word).toLowerCase();
      if (all[at - 1]?.toLowerCase() === 'as' && last && !columns.has(name))
        aliases.set(name, last);
      const column = columnAt(at);
      if (column !== undefined || /^[\p{L}_]/u.test(word)) {
        names.add(name);
        last = column ?? last;
      } else if (word === '=') {
        const [left, right] = [columnAt(at - 1), columnAt(all[at + 2] === '.' ? at + 3 : at + 1)];
        if (left && right) joined.push([left, right]);
      } else if (/^['"\d-]./.test(word) || /^\d/.test(word)) {
        if (/^["`]/.test(word)) names.add(name);
        if (/^[1-8]$/.test(word)) counts.add(Number(word));
        const own = constants.get(last ?? '') ?? new Set();
        constants.set(last ?? '', own.add(unquoted(word).replaceAll("''", "'")));
      } else names.add(name);
    }
  }
  return { names, constants, counts: [...counts], joined };
}
