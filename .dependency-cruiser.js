/** The files at the top of domain/, such as ids.ts: every room may import them, and they import no room. */
const topOfDomain = 'domain/[^/]+$';

/** The rooms of domain/ with their libraries, which are pure as well. A room imports only the rooms above it. */
const domainRooms = {
  'domain/statistics/': ['jstat'],
  'domain/formats/': ['@lezer/common', '@lezer/python', 'yaml'],
  'domain/models/': ['gpt-tokenizer', 'uuid'],
  'domain/rate-limits/': [],
  'domain/budget/': [],
  'domain/extraction/': ['htmlparser2'],
  'domain/stores/': ['snowball-stemmers', 'uuid'],
  'domain/agent/': ['htmlparser2'],
  'domain/scoring/': ['uuid'],
  'domain/runs/': ['uuid', 'yaml'],
  'domain/enrichment/': ['uuid'],
  'domain/building/': ['uuid'],
  'domain/evaluations/': [],
};

const ports = ['domain/', 'activities/ports/'];
const activityParts = [...ports, 'activities/failures.ts', 'activities/tools/'];
const runFiles = ['domain/', 'storage/', 'workflows/messages.ts'];
const temporal = ['@temporalio/client', '@temporalio/common'];

/**
 * The import table. A room is a folder or a file; it imports its own files, the `rooms` and `packages` named, with
 * `import type` also `types`, and with `node` Node's modules. A row names only rooms above it, so no two rooms import each other.
 */
const importTable = [
  { room: topOfDomain, packages: ['zod'] },
  ...Object.entries(domainRooms).map(([room, packages], place, all) => ({
    room,
    rooms: [topOfDomain, ...all.slice(0, place).map(([above]) => above)],
    packages: ['zod', ...packages],
  })),

  { room: 'activities/ports/', rooms: ['domain/'], typePackages: ['zod'] },
  { room: 'activities/failures.ts', rooms: ports, packages: ['@temporalio/activity'] },
  { room: 'activities/border.ts', rooms: [...ports, 'activities/failures.ts'], packages: ['zod'] },
  { room: 'activities/tools/', rooms: ports },
  { room: 'activities/questions/', rooms: activityParts, packages: ['@temporalio/activity'] },
  ...['activities/ingestion/', 'activities/judging/'].map((room) => ({
    room,
    rooms: [...activityParts, 'activities/questions/'],
    packages: ['@temporalio/activity'],
  })),
  {
    room: 'activities/runs/',
    rooms: [...activityParts, 'activities/questions/'],
    packages: ['@temporalio/activity', 'zod'],
  },
  {
    room: 'activities/enrichment/',
    rooms: [...activityParts, 'activities/questions/', 'activities/ingestion/'],
    packages: ['@temporalio/activity'],
  },
  {
    room: 'activities/building/',
    rooms: [...activityParts, 'activities/questions/'],
    packages: ['@temporalio/activity'],
  },
  { room: 'activities/index.ts', rooms: ['domain/', 'activities/'] },

  {
    room: 'workflows/',
    rooms: ['domain/'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
    types: ['activities/'],
  },

  {
    room: 'storage/',
    rooms: ports,
    packages: ['@aws-sdk/client-s3', 'env-paths', 'lru-cache', 'zod'],
    node: true,
  },
  {
    room: 'temporal/',
    rooms: ['domain/', 'workflows/messages.ts'],
    packages: [...temporal, '@temporalio/envconfig', 'protobufjs', 'zod'],
    node: true,
  },
  {
    room: 'plugins/',
    rooms: [...ports, 'storage/'],
    packages: ['rolldown', 'zod'],
    node: true,
  },
  {
    room: 'simulator/',
    rooms: ['domain/'],
    packages: ['@hono/node-server', 'hono', 'lru-cache', 'zod'],
    node: true,
  },

  {
    room: 'worker/adapters/',
    rooms: [...ports, 'storage/', 'temporal/', 'workflows/messages.ts'],
    packages: [
      ...['@duckdb/node-api', '@hyzyla/pdfium', '@sqlite.org/sqlite-wasm', '@temporalio/client'],
      ...[
        '@zilliz/milvus2-sdk-node',
        'csv-parse',
        'lru-cache',
        'node-sqlite3-wasm',
        'onnxruntime-web',
        'openai',
        'protobufjs',
        'yaml',
        'zod',
      ],
    ],
    types: ['workflows/'],
    node: true,
  },
  {
    room: 'worker/model-calls/',
    rooms: [...ports, 'storage/', 'workflows/messages.ts', 'worker/adapters/'],
    packages: ['@temporalio/client', 'lru-cache', 'zod'],
    node: true,
  },
  {
    // What those see who operate a worker: its log, metrics, probes, and whether it may end.
    room: 'worker/operation/',
    rooms: [...ports, 'temporal/', 'workflows/messages.ts'],
    packages: ['@temporalio/client', '@temporalio/common', '@temporalio/worker', 'zod'],
    node: true,
  },
  {
    room: 'worker/embedded/',
    rooms: ['domain/', 'storage/', 'temporal/', 'worker/adapters/'],
    packages: [
      ...['@temporalio/client', '@temporalio/common', '@zilliz/milvus2-sdk-node'],
      ...['env-paths', 'get-port', 'node-sqlite3-wasm', 'zod'],
    ],
    node: true,
  },
  {
    room: 'worker/[^/]+$',
    rooms: [
      ...['domain/', 'activities/', 'storage/', 'temporal/', 'plugins/', 'worker/'],
      'workflows/messages.ts',
    ],
    packages: [
      ...['@duckdb/node-api', '@temporalio/activity', '@temporalio/client'],
      ...['@temporalio/common', '@temporalio/worker', 'zod'],
    ],
    node: true,
  },

  {
    room: 'client/services/',
    rooms: [...runFiles, 'temporal/'],
    packages: [...temporal, '@grpc/grpc-js', 'yaml', 'zod'],
    node: true,
  },
  {
    room: 'client/runs/',
    rooms: [...runFiles, 'activities/ports/', 'temporal/', 'plugins/', 'client/services/'],
    packages: [...temporal, 'lru-cache', 'uuid', 'zod'],
    types: ['workflows/'],
    node: true,
  },
  {
    room: 'client/views/web/browser/',
    rooms: [
      'client/views/page/(?:page-paths|question-table).ts',
      'client/views/web/(?:page-data|row-window).ts',
      'domain/building/waiting.ts',
      'domain/formats/(?:text|text-difference).ts',
    ],
    packages: ['preact', 'sql-formatter'],
    types: ['client/views/page/page-question.ts', 'domain/scoring/ruling.ts'],
  },
  {
    room: 'client/views/web/(?!browser/)',
    rooms: [...runFiles, 'temporal/', 'client/services/', 'client/runs/', 'client/views/'],
    packages: ['@hono/node-server', 'hono', 'zod'],
    node: true,
  },
  {
    room: 'client/views/(?!web/)',
    rooms: [...runFiles, 'client/services/', 'client/runs/', 'client/views/'],
    packages: [
      ...[...temporal, 'htmlparser2', 'string-width', 'uuid', 'vega', 'vega-lite', 'wrap-ansi'],
      'yazl',
    ],
    node: true,
  },
  {
    room: 'client/commands/',
    rooms: [...runFiles, 'simulator/', 'client/services/', 'client/runs/', 'client/views/'],
    packages: ['@temporalio/client', 'commander', 'zod'],
    node: true,
  },
  {
    room: 'client/library/',
    rooms: ['domain/', 'plugins/define.ts', 'client/'],
    packages: ['commander'],
    node: true,
  },
  { room: 'client/main.ts', rooms: ['domain/', 'client/'], packages: ['commander', 'zod'] },

  { room: 'examples/', packages: ['@duckdb/node-api', 'yaml'], node: true },
  {
    room: 'bench/',
    rooms: [
      ...['domain/', 'activities/', 'workflows/', 'storage/', 'temporal/', 'simulator/'],
      ...['worker/', 'client/'],
    ],
    packages: [
      ...['@aws-sdk/client-s3', '@duckdb/node-api', '@temporalio/client', '@temporalio/common'],
      ...['@temporalio/testing', '@temporalio/worker', '@temporalio/workflow', 'htmlparser2'],
      ...['openai', 'yaml', 'zod'],
    ],
    node: true,
  },
];

const from = (paths) => paths.map((path) => `^${path}`);
const installed = (packages) => packages.map((name) => `(^|/)node_modules/${name}/`);

function rulesOf(row) {
  const { room, rooms = [], packages = [], types = [], typePackages = [], node = false } = row;
  const values = [...from([room, ...rooms]), ...installed(packages)];
  const core = node ? ['core'] : [];
  const rule = (kind, to) => ({
    name: `import-table: ${kind} of ${room}`,
    severity: 'error',
    comment: `Change the import, or the row of ${room} in .dependency-cruiser.js.`,
    from: { path: `^${room}` },
    to,
  });
  return [
    rule('imports', { pathNot: values, dependencyTypesNot: ['type-only', ...core] }),
    rule('types', {
      pathNot: [...values, ...from(types), ...installed(typePackages)],
      dependencyTypes: ['type-only'],
      ...(node && { dependencyTypesNot: core }),
    }),
  ];
}

export default {
  forbidden: [
    {
      name: 'no-cycle-of-files',
      severity: 'error',
      comment: 'Move what both files need into a third file.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-missing-module',
      severity: 'error',
      comment: 'The import names no file and no package of package.json.',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'every-file-in-a-room',
      severity: 'error',
      comment: 'Add a row for this folder to the import table in .dependency-cruiser.js.',
      from: { pathNot: from([...importTable.map(({ room }) => room), 'tests/', 'bin/']) },
      to: {},
    },
    ...importTable.flatMap(rulesOf),
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
