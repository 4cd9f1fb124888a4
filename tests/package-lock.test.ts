// cspell:ignore memium utilium unionfs
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      license: z.string().optional(),
      dev: z.boolean().optional(),
      devOptional: z.boolean().optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
const { packages } = lockSchema.parse(
  JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')),
);

it('locks every optional package, those of other platforms included (docs/explanation/decisions/0011)', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`${path}/node_modules/${name}` in packages || `node_modules/${name}` in packages),
    ),
  );
  expect(missing).toEqual([]);
});

it('has one protobufjs 8 at the top, without which recorded histories do not replay', () => {
  expect(packages).toHaveProperty(['node_modules/protobufjs']);
  const nested = Object.keys(packages).filter((path) => /@temporalio\/.*protobufjs$/.test(path));
  expect(nested).toEqual([]);
});

/** What a package of ours may depend on. Copies of it keep their notices; none of it covers what uses it. */
const accepted = new Set([
  '0BSD',
  'Apache-2.0',
  'Apache-2.0 AND MIT',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
]);

/** Accepted for one package each, by its name. */
const acceptedOf: Readonly<Record<string, string>> = {
  // Data, which the workflow bundler of the Temporal worker reads.
  'caniuse-lite': 'CC-BY-4.0',
  // Loaded unchanged from its own package, which is what the LGPL asks for: through the Parquet reader of the Milvus client.
  memium: 'LGPL-3.0-or-later',
  utilium: 'LGPL-3.0-or-later',
  // Their package.json does not say; their LICENSE files and repositories do.
  jstat: 'MIT',
  unionfs: 'Unlicense',
};

/** The programs of a package for other platforms, which npm locks without reading them: they have the licence of the package. */
const ofOtherPlatforms = /^(@duckdb\/node-bindings|@swc\/core)-/;

it('depends in production on nothing whose licence is not accepted', () => {
  const production = Object.entries(packages).filter(
    ([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional,
  );
  expect(production.length).toBeGreaterThan(100);
  const others = production.flatMap(([path, { license }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const [main] = ofOtherPlatforms.exec(name) ?? [];
    const found = license ?? packages[`node_modules/${main?.replace(/-$/, '') ?? ''}`]?.license;
    const isAccepted =
      (found !== undefined && accepted.has(found)) ||
      (name in acceptedOf && (found ?? acceptedOf[name]) === acceptedOf[name]);
    return isAccepted ? [] : [`${name}: ${found ?? 'none said'}`];
  });
  expect(others).toEqual([]);
});
