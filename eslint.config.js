import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Forbids every module whose specifier matches none of `allowed`; type-only imports from `types` pass. */
function mayImport(allowed, { types = [], message }) {
  const only = (list) => `^(?!${list.join('|')})`;
  return [
    'error',
    {
      patterns: [
        { regex: only([...allowed, ...types]), message },
        ...types.map((regex) => ({ regex: `^${regex}`, allowTypeImports: true, message })),
      ],
    },
  ];
}

const sibling = '\\./';
const up = (folder) => `(\\.\\./)+${folder}/`;

export default tseslint.config(
  { ignores: ['dist/', '.turnwise/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      'no-console': 'error',
    },
  },
  {
    files: ['domain/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': mayImport(
        [
          sibling,
          '(\\.\\./)+(?!workflows|activities|storage|worker|client|simulator|bench|tests)',
          'zod$',
          'uuid$',
          'snowball-stemmers$',
          'jstat$',
          'gpt-tokenizer/',
          'htmlparser2$',
          'yaml$',
          '@lezer/',
        ],
        { message: 'domain/ is pure: it imports domain/, zod and pure libraries only.' },
      ),
    },
  },
  {
    files: ['workflows/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': mayImport(
        [sibling, up('domain'), '@temporalio/(workflow|common)$'],
        {
          types: [up('activities')],
          message:
            'workflows/ run in the sandbox: @temporalio/workflow, domain/, and types of activities/.',
        },
      ),
    },
  },
  {
    files: ['activities/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': mayImport(
        [
          sibling,
          '(\\.\\./)+(?!workflows|storage|worker|client|simulator|bench|tests|domain)',
          up('domain'),
          '@temporalio/(activity|common)$',
        ],
        {
          types: ['zod$'],
          message:
            'activities/ reach the world through ports: @temporalio/activity and domain/ only.',
        },
      ),
    },
  },
  {
    files: ['storage/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': mayImport(
        [sibling, up('domain'), up('activities/ports'), 'node:', 'zod$', 'lru-cache$'],
        { message: 'storage/ keeps the files of runs: it imports domain/ and activities/ports/.' },
      ),
    },
  },
  {
    files: ['worker/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': mayImport(['(?!(\\.\\./)+(client|tests)/)'], {
        message: 'worker/ wires everything but client/.',
      }),
    },
  },
  {
    files: ['client/**/*.ts'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-restricted-imports': mayImport(
        [
          sibling,
          '(\\.\\./)+(?!workflows|activities|storage|worker|tests)',
          up('domain'),
          up('storage'),
          up('activities/ports'),
          '(\\.\\./)+workflows/messages\\.js$',
          '@temporalio/(client|common|envconfig)$',
          '(?!\\.|@temporalio|@duckdb|@zilliz)',
        ],
        {
          types: ['(\\.\\./)+workflows/(?!messages)'],
          message:
            'client/ starts workers and services as processes; it imports domain/, storage/, activities/ports/ and workflows/messages.ts.',
        },
      ),
    },
  },
  {
    files: ['simulator/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': mayImport(
        [sibling, up('domain'), '(?!\\.|@temporalio|@duckdb|@zilliz)'],
        { message: 'simulator/ stands in for a provider: it imports domain/ and libraries only.' },
      ),
    },
  },
  {
    files: ['client/views/page/browser/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['document', 'location', 'addEventListener', 'scrollTo', 'scrollY', 'setTimeout'],
          ...['atob', 'Blob', 'DecompressionStream', 'FormData', 'HTMLElement'],
          ...['HTMLFormElement', 'HTMLTableElement', 'Response'],
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['bin/**/*.js', '*.js', 'tests/**/*.js'],
    languageOptions: {
      globals: {
        AbortController: 'readonly',
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
);
