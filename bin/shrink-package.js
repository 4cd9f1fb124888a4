import { Buffer } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliCompressSync, constants } from 'node:zlib';
import { minifySync } from 'rolldown/experimental';

// Before `npm pack`: the bundle of the workflows without white space, comments and its source map, a fifth of its size. `npm run
// build` makes the other one again.

const file = new URL('../dist/workflow-bundle.cjs', import.meta.url);
const text = readFileSync(file, 'utf8');
const map = text.lastIndexOf('//# sourceMappingURL=');
// The SDK wants a map, of any kind.
const noMap = JSON.stringify({ version: 3, sources: [], names: [], mappings: '' });
const { code, errors } = minifySync('workflow-bundle.cjs', text.slice(0, map), {
  compress: false,
  mangle: false,
  codegen: { removeWhitespace: true },
});
if (errors.length > 0) throw new Error(errors[0].message);
const url = `data:application/json;base64,${Buffer.from(noMap).toString('base64')}`;
writeFileSync(file, `${code}\n//# sourceMappingURL=${url}\n`);

// The runtime of models in WebAssembly, which is a file of a package that users do not need.
const runtime = 'ort-wasm-simd-threaded.wasm';
const packed = new URL(`../dist/programs/${runtime}.br`, import.meta.url);
const bytes = readFileSync(createRequire(import.meta.url).resolve(`onnxruntime-web/${runtime}`));
writeFileSync(
  packed,
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } }),
);
