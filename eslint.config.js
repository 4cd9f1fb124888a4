import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { noPatching } from './bin/no-patching.js';

export default tseslint.config(
  { ignores: ['dist/', '.turnwise/', 'node_modules/'] },
  js.configs.recommended,
  {
    plugins: { turnwise: { rules: { 'no-patching': noPatching } } },
    rules: { 'no-extend-native': 'error', 'turnwise/no-patching': 'error' },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // `const { left, out, ...rest } = all` leaves fields out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      'no-console': 'error',
    },
  },
  // Whatever is printed passes here, where it is made harmless for a terminal.
  { files: ['client/services/tell.ts'], rules: { 'no-console': 'off' } },
  {
    files: ['**/*.tsx'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "JSXOpeningElement[name.name=/^(input|textarea|select)$/]:has(JSXAttribute[name.name='value']):not(:has(JSXAttribute[name.name=/^on(Input|Change)$/]))",
          message:
            'New data would replace what the reader has typed: use defaultValue, or keep each change with onInput.',
        },
      ],
    },
  },
  {
    files: ['bin/**/*.js', '*.js', 'examples/**/*.js', 'tests/**/*.js'],
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
