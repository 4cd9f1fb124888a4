import { DuckDBInstance } from '@duckdb/node-api';
import { z } from 'zod';

// Converts a JSONL file to CSV or Parquet: `write-table ROWS LONGEST COLUMNS OUT`. LONGEST is the bytes of the longest
// line, COLUMNS a JSON object of column names and DuckDB types. OUT ends in `.csv` or `.parquet`.

const [rows, longest, columns, out] = z
  .tuple([z.string(), z.coerce.number().int(), z.string(), z.string().regex(/\.(csv|parquet)$/)])
  .parse(process.argv.slice(2));
const types = z.record(z.string(), z.string()).parse(JSON.parse(columns));

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const struct = Object.entries(types)
  .map(([name, type]) => `${quoted(name)}: ${quoted(type)}`)
  .join(', ');
// DuckDB refuses a longer object, and its default is 16 MiB.
const mostBytes = Math.max(16 * 2 ** 20, longest + 1);
const options = out.endsWith('.csv') ? 'FORMAT csv, HEADER' : 'FORMAT parquet, COMPRESSION zstd';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
await connection.run(
  `COPY (SELECT * FROM read_json(${quoted(rows)}, format = 'newline_delimited',
     maximum_object_size = ${mostBytes}, columns = {${struct}}))
   TO ${quoted(out)} (${options})`,
);
connection.closeSync();
instance.closeSync();
