import { afterAll, describe, expect, it } from 'vitest';
import { defineAction, defineMethod, defineScorer } from '../../client/library/index.js';
import { bundlePlugin, loadPlugins } from '../../plugins/load-plugins.js';
import { pluginsUnderTest } from './plugins-under-test.js';

const mine = pluginsUnderTest();
afterAll(mine.close);

const scorer = `import { defineScorer } from 'turnwise';
export const s = defineScorer({ name: 'mine', score: () => 1 });
`;

describe('a plugin is loaded', () => {
  it('with its scorers, its actions, and its methods as data', async () => {
    mine.file('lib/words.ts', `export const word: string = 'term';\n`);
    const { plugin } = await mine.load(
      `import { defineAction, defineMethod, defineScorer } from 'turnwise';
import { word } from './lib/words.js';
const act = defineAction({
  name: 'LookUp',
  description: 'Look up.',
  parameters: {
    limit: { type: 'integer', description: 'How many.', default: 3 },
    [word]: { type: 'string', description: 'A word.' },
  },
  examples: [{ explanation: 'So.', arguments: { term: 'a' } }],
  run: () => 'x',
});
export const method = defineMethod({ name: 'my_react', role: 'You look up.', actions: [act, 'CalculateExpr'], about: 'tables' });
export const more = defineMethod({ name: 'more_react', like: 'hybrid_react', hints: ['Be brief.'] });
export default [defineScorer({ name: 'mine', score: () => 1 })];
export const nothing = 3;
`,
      'all.ts',
    );
    expect(plugin).toMatchObject({
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      scorers: ['mine'],
      actions: ['LookUp'],
      methods: {
        my_react: {
          kind: 'iterative',
          summary: 'my_react',
          actions: [
            {
              name: 'LookUp',
              // A parameter with a default comes last, as in Python.
              parameters: [
                { name: 'term', type: 'str' },
                { name: 'limit', type: 'int', default: { kind: 'literal', source: '3' } },
              ],
            },
            'CalculateExpr',
            'GenerateAnswer',
          ],
        },
        more_react: {
          kind: 'iterative',
          schemas: ['database', 'vectorstore'],
          hints: ['Be brief.'],
        },
      },
    });
  });

  it('with the same marks as the library that a script imports', () => {
    const markOf = (defined: object): unknown =>
      Reflect.get(defined, Symbol.for('turnwise.definition'));
    expect(markOf(defineScorer({ name: 'a', score: () => 1 }))).toBe('scorer');
    expect(markOf(defineMethod({ name: 'a' }))).toBe('method');
    const action = { name: 'A', description: 'b', parameters: {}, run: () => '' };
    expect(markOf(defineAction(action))).toBe('action');
  });

  it('as other code when a file that it imports has changed, and as the same in another folder', async () => {
    const text = `import { word } from './words.js';\nconsole.error(word);\n${scorer}`;
    const path = mine.file('one/mine.ts', text);
    mine.file('one/words.ts', `export const word = 'a';\n`);
    const before = await bundlePlugin(path);
    mine.file('two/words.ts', `export const word = 'a';\n`);
    const [here, path2] = [process.cwd(), mine.file('two/mine.ts', text)];
    process.chdir('/');
    expect(await bundlePlugin(path2)).toBe(before);
    process.chdir(here);
    mine.file('one/words.ts', `export const word = 'b';\n`);
    expect(await bundlePlugin(path)).not.toBe(before);
  });
});

describe('a plugin is refused in one sentence with its file and line', () => {
  const action = (fields: string): string =>
    `import { defineAction } from 'turnwise';\nexport const a = defineAction({ ${fields} });\n`;
  const method = (fields: string): string =>
    `import { defineMethod } from 'turnwise';\nexport const a = defineMethod({ ${fields} });\n`;
  it.each([
    ['a syntax error', 'const a = ;\n', /mine\.ts:1:\d+: \S/],
    [
      'an import of a file that is missing',
      `import { x } from './absent.js';\nconsole.error(x);\n${scorer}`,
      /mine\.ts.*absent\.js/,
    ],
    [
      'a name that turnwise does not export',
      `import { nothing } from 'turnwise';\nnothing();\n`,
      /mine\.ts:1:\d+: "nothing" is not exported by turnwise$/,
    ],
    ['an error while it loads', `\nthrow new Error('no key.');\n`, /mine\.ts:2: no key$/],
    ['nothing to use', 'export const a = 1;\n', /mine\.ts: exports nothing that define/],
    [
      'the name of an evaluation function',
      scorer.replace('mine', 'eval_m3sciqa'),
      /scorer eval_m3sciqa: turnwise has one of that name$/,
    ],
    [
      'a scorer without a function',
      scorer.replace('score:', 'rate:'),
      /mine\.ts(:\d+)?: scorer mine has no function score$/,
    ],
    [
      'an action without a description',
      action(`name: 'A', run: () => 1`),
      /action A: description: must be a text$/,
    ],
    [
      'an action of turnwise',
      action(`name: 'generateAnswer', description: 'a', run: () => 1`),
      /action generateAnswer: turnwise has one/,
    ],
    [
      'a parameter of another type',
      action(
        `name: 'A', description: 'a', parameters: { b: { type: 'date', description: '' } }, run: () => 1`,
      ),
      /action A: parameters\.b\.type: is string, integer, number, boolean or any$/,
    ],
    [
      'a method with an unknown action',
      method(`name: 'm', role: 'r', actions: ['Look']`),
      /method m: there is no action Look$/,
    ],
    ['a method without a role', method(`name: 'm', actions: []`), /method m: role: /],
    [
      'a method like none',
      method(`name: 'm', like: 'nothing'`),
      /method m: like: there is no method nothing$/,
    ],
    [
      'a method of turnwise',
      method(`name: 'hybrid_react'`),
      /method hybrid_react: turnwise has one/,
    ],
    ['an end of its thread', 'process.exit(3);\n', /mine\.ts: it ended its thread$/],
  ])('%s', async (_, text, message) => {
    const refusal = mine.load(text);
    await expect(refusal).rejects.toThrow(message);
    await expect(refusal).rejects.toMatchObject({ name: 'UserError', status: 2 });
    await expect(refusal).rejects.toThrow(/^plugin [^\n]+$/);
  });

  it('a file that is not there', async () => {
    await expect(loadPlugins(['./absent.ts'], mine.ownCode)).rejects.toThrow(
      'plugin ./absent.ts: there is no such file',
    );
  });

  it('two that define the same', async () => {
    const paths = [mine.file('a.ts', scorer), mine.file('b.ts', `${scorer}// again\n`)];
    await expect(loadPlugins(paths, mine.ownCode)).rejects.toThrow(
      /a\.ts and .*b\.ts both define scorer mine$/,
    );
  });
});
