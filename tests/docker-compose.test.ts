import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { searchAttributes } from '../domain/ids.js';
import { environmentSchema } from '../domain/settings.js';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8');

const document: unknown = parse(read('docker-compose.yml'));

const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string().optional(),
      ports: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.string().nullable()).default({}),
      command: z.array(z.string()).default([]),
      depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
      healthcheck: z.object({ test: z.array(z.string()) }).optional(),
      volumes: z.array(z.string()).default([]),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
});
const { services, volumes } = composeFile.parse(document);
const { services: rawServices } = z
  .object({ services: z.record(z.string(), z.record(z.string(), z.unknown())) })
  .parse(document);

/** The Compose project's own schema (compose-spec, Apache-2.0). */
const composeSpec = z
  .looseObject({
    $defs: z.record(
      z.string(),
      z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) }),
    ),
  })
  .parse(JSON.parse(read('tests/fixtures/compose-spec/compose-spec.json')));

/** zod cannot tell unknown keys of a definition that is put together from others, so that is left out here. */
function withoutUnevaluated(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, inner: unknown) =>
    key === 'unevaluatedProperties' ? undefined : inner,
  );
}

describe('docker-compose.yml', () => {
  it('is a Compose file, by the schema of the Compose project', () => {
    // What was parsed is the JSON Schema that the Compose project publishes.
    const schema = withoutUnevaluated(composeSpec) as Parameters<typeof z.fromJSONSchema>[0];
    expect(z.fromJSONSchema(schema).safeParse(document).error?.issues ?? []).toEqual([]);
  });

  it('uses only keys that a service has', () => {
    const known = ['service', 'container_spec', 'workload_spec'].flatMap((name) =>
      Object.keys(composeSpec.$defs[name]?.properties ?? {}),
    );
    const used = Object.values(rawServices).flatMap((service) => Object.keys(service));
    expect(used.filter((key) => !known.includes(key))).toEqual([]);
  });

  it('gives the worker only settings that exist', () => {
    const names = Object.keys(services['worker']?.environment ?? {});
    expect(names.filter((name) => !(name in environmentSchema.shape))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['TEMPORAL_ADDRESS', 'MILVUS_ADDRESS']));
  });

  it('holds no secret of the user: keys are passed on, never written', () => {
    const keys = Object.keys(environmentSchema.shape).filter((name) => name.endsWith('_API_KEY'));
    for (const key of keys.filter((name) => name !== 'TEMPORAL_API_KEY')) {
      expect(services['worker']?.environment[key]).toBeNull();
    }
  });

  it('binds every port to 127.0.0.1', () => {
    const ports = Object.values(services).flatMap((service) => service.ports);
    expect(ports.length).toBeGreaterThan(0);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('registers every search attribute', () => {
    const script = services['temporal-namespace']?.command.join(' ') ?? '';
    const registered = [...script.matchAll(/Turnwise\w+/g)].map(([name]) => name);
    expect(registered.toSorted()).toEqual(Object.values(searchAttributes).toSorted());
  });

  it('waits only for services that exist, healthy ones having a health check', () => {
    for (const { depends_on: needs } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(needs)) {
        expect(services).toHaveProperty(name);
        if (condition === 'service_healthy') expect(services[name]?.healthcheck).toBeDefined();
      }
    }
  });

  it('pins every image, and declares every volume', () => {
    for (const { image, volumes: mounts } of Object.values(services)) {
      if (image !== undefined) expect(image).toMatch(/:v?[\dR][\w.-]*$/);
      const named = mounts.map((mount) => mount.split(':')[0] ?? '');
      expect(named.filter((name) => !name.startsWith('.') && !(name in volumes))).toEqual([]);
    }
  });

  it('finds everything the image is built from', () => {
    const copied = [...read('Dockerfile').matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, from]) =>
      (from ?? '').split(' '),
    );
    const admitted = read('.dockerignore').split('\n');
    expect(copied.filter((path) => !admitted.includes(`!${path}`))).toEqual([]);
    const { scripts } = JSON.parse(read('package.json')) as {
      readonly scripts: Readonly<Record<'build', string>>;
    };
    const run = [...scripts.build.matchAll(/node (\w+)\//g)].map(([, folder]) => folder);
    // What the build makes itself lies in dist.
    expect(run.filter((folder) => folder !== 'dist' && !copied.includes(folder ?? ''))).toEqual([]);
    expect(run).toContain('bin');
    const configurations = [...read('bin/bundle.js').matchAll(/tsconfig[\w.]*\.json/g)];
    expect(configurations.filter(([name]) => !copied.includes(name))).toEqual([]);
    // Benchmarks are no part of it.
    const { include } = JSON.parse(read('tsconfig.build.json')) as { readonly include: string[] };
    expect(include.filter((folder) => folder !== 'bench' && !copied.includes(folder))).toEqual([]);
  });
});
