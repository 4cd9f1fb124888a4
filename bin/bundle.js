import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { stampBuild } from './stamps.js';

// The last step of the build: the hundreds of modules of all programs as a few files, which Node reads in half the time. What
// `tsc` has written stays beside them.

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

await build({
  cwd: dist,
  input: {
    turnwise: 'client/main.js',
    supervise: 'worker/supervise.js',
    inspect: 'worker/inspect.js',
    worker: 'worker/main.js',
    'execute-sql': 'worker/execute-sql.js',
    'write-table': 'worker/write-table.js',
    'view-pages': 'worker/view-pages.js',
    'import-databases': 'worker/import-databases.js',
    'pdfium-thread': 'worker/adapters/pdfium/pdfium-thread.js',
    'query-process': 'worker/adapters/duckdb/query-process.js',
  },
  external: [
    // What has binaries or other files beside it, and what of the SDK may be there only once.
    ...[/^@duckdb\//, /^@hyzyla\//, /^@temporalio\//, 'node-sqlite3-wasm'],
    // Large, and not needed by every command.
    ...[/^@aws-sdk\//, /^@smithy\//, /^@zilliz\//, /^gpt-tokenizer/, 'openai', /^vega/],
  ],
  platform: 'node',
  output: {
    dir: 'programs',
    cleanDir: true,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  },
});

// The script of the pages of `turnwise view`, from its sources: a browser runs it.
await build([
  {
    cwd: root,
    input: { view: 'client/views/web/browser/main.tsx' },
    platform: 'browser',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'], '.jsx': ['.tsx'] } },
    tsconfig: join(root, 'client/views/web/browser/tsconfig.json'),
    output: { dir: join(dist, 'view'), cleanDir: true, minify: true, banner: preactLicence() },
  },
]);

stampBuild(root);

function preactLicence() {
  return `/* preact\n\n${readFileSync(join(root, 'node_modules/preact/LICENSE'), 'utf8')}*/`;
}
