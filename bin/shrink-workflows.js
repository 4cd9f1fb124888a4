import { Buffer } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import { minifySync } from 'rolldown/experimental';

// Before `npm pack`: the bundle of the workflows without white space, comments and its source map, a fifth of its size.
// `npm run build` makes the other one again.

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
