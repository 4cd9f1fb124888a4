import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import ts from 'typescript';
import { runOptions } from '../dist/client/commands/run.js';
import { optionTypes } from './option-types.js';
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
    library: 'client/library/index.js',
    worker: 'worker/main.js',
    'encoded-failures': 'worker/encoded-failures.js',
    'execute-sql': 'worker/execute-sql.js',
    'write-table': 'worker/write-table.js',
    'read-rows': 'worker/read-rows.js',
    'view-pages': 'worker/view-pages.js',
    'import-databases': 'worker/import-databases.js',
    'pdfium-thread': 'worker/adapters/pdfium/pdfium-thread.js',
    'minilm-thread': 'worker/adapters/minilm/minilm-thread.js',
    'plugin-thread': 'plugins/plugin-thread.js',
    'query-process': 'worker/adapters/duckdb/query-process.js',
    'sqlite-thread': 'worker/adapters/sqlite/sqlite-thread.js',
  },
  external: [
    // What has binaries or other files beside it, and what of the SDK may be there only once.
    ...[/^@duckdb\//, /^@hyzyla\//, /^@sqlite\.org\//, /^@temporalio\//],
    'node-sqlite3-wasm',
    // Large, and not needed by every command.
    ...[/^@aws-sdk\//, /^@smithy\//, /^@zilliz\//, /^gpt-tokenizer/, 'rolldown', /^vega/],
    ...['@grpc/grpc-js', 'openai', /^protobufjs/],
  ],
  platform: 'node',
  output: {
    dir: 'programs',
    cleanDir: true,
    // Functions and classes keep their names, for stack traces and for errors that are told by theirs.
    minify: {
      compress: false,
      mangle: { toplevel: false, keepNames: true },
      codegen: { removeWhitespace: true },
    },
  },
});

// What the runtime of models in WebAssembly loads in each of its threads.
const threads = 'ort-wasm-simd-threaded.mjs';
copyFileSync(
  join(root, 'node_modules/onnxruntime-web/dist', threads),
  join(dist, 'programs', threads),
);

// The types of the library (`package.json`). These files import types of each other only.
for (const file of [
  'client/library/index',
  'client/library/evaluate',
  'client/library/open-run',
  'client/library/surface',
  'domain/user-error',
  'plugins/define',
]) {
  const { outputText, diagnostics } = ts.transpileDeclaration(
    readFileSync(join(root, `${file}.ts`), 'utf8'),
    { fileName: `${file}.ts`, compilerOptions: { target: ts.ScriptTarget.ES2023, strict: true } },
  );
  if (diagnostics?.length > 0) throw new Error(`${file}: ${diagnostics[0].messageText}`);
  writeFileSync(join(dist, `${file}.d.ts`), outputText);
}

writeFileSync(join(dist, 'client/library/run-options.d.ts'), optionTypes('RunOptions', runOptions));

// The scripts of `turnwise view` and of reports, from their sources: browsers run them. Each is one file.
const browser = join(root, 'client/views/web/browser');
const view = join(dist, 'view');
rmSync(view, { recursive: true, force: true });
await build(
  Object.entries({ view: 'main.tsx', report: 'report.tsx' }).map(([name, entry]) => ({
    input: join(browser, entry),
    platform: 'browser',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'], '.jsx': ['.tsx'] } },
    tsconfig: join(browser, 'tsconfig.json'),
    output: {
      file: join(view, `${name}.js`),
      format: 'iife',
      minify: true,
      banner: licences(),
    },
  })),
);

stampBuild(root);

function licences() {
  return ['preact/LICENSE', 'sql-formatter/LICENSE', 'nearley/LICENSE.txt']
    .map((file) => {
      const text = readFileSync(join(root, 'node_modules', file), 'utf8');
      return `/* ${dirname(file)}\n\n${text}*/`;
    })
    .join('\n');
}
