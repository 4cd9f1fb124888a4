import { DuckDBInstance } from '@duckdb/node-api';
import { z } from 'zod';

// Converts a JSONL file to CSV or Parquet: `write-table ROWS COLUMNS OUT`. COLUMNS is a JSON object of column names and
// DuckDB types. OUT ends in `.csv` or `.parquet`.

const [rows, columns, out] = z
  .tuple([z.string(), z.string(), z.string().regex(/\.(csv|parquet)$/)])
  .parse(process.argv.slice(2));
const types = z.record(z.string(), z.string()).parse(JSON.parse(columns));

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const struct = Object.entries(types)
  .map(([name, type]) => `${quoted(name)}: ${quoted(type)}`)
  .join(', ');
const options = out.endsWith('.csv') ? 'FORMAT csv, HEADER' : 'FORMAT parquet, COMPRESSION zstd';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
await connection.run(
  `COPY (SELECT * FROM read_json(${quoted(rows)}, format = 'newline_delimited', columns = {${struct}}))
   TO ${quoted(out)} (${options})`,
);
connection.closeSync();
instance.closeSync();
