import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ optionalDependencies: z.record(z.string(), z.string()).optional() }),
  ),
});
const { packages } = lockSchema.parse(
  JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')),
);

it('locks every optional package, those of other platforms included (docs/decisions/0007)', () => {
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
