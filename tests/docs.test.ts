import { CommandLine } from '../client/commands/shared/command-line.js';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { scriptSchema } from '../simulator/script.js';
import { readTurnwiseYaml } from '../client/services/turnwise-yaml.js';
import { modelOptions } from '../domain/runs/run-options.js';
import { modelEntrySchema } from '../domain/models/model-settings.js';
import { outcomeKinds } from '../domain/agent/question-result.js';
import { readDataset } from '../domain/runs/dataset.js';
import { searchAttributes } from '../domain/ids.js';
import { signatures } from '../domain/scoring/scorer-options.js';
import { environmentSchema } from '../domain/settings.js';
import { checkout } from './support/command-line.js';
import { exampleEnd, sampleKey } from './support/runs/example-records.js';
import { querySql } from './support/stores/query-sql.js';
import { codeBlocks, documents, readDocument, tableRows } from './support/markdown.js';

const readme = readDocument('README.md');
const results = readDocument('docs/reference/results.md');

describe('the reference', () => {
  it('names every setting with its default', () => {
    const defaults = new Map(Object.entries(environmentSchema.parse({})));
    const settings = tableRows(readDocument('docs/reference/settings.md')).filter(
      ([name = '']) => name in environmentSchema.shape,
    );
    expect(settings.map(([name, , value]) => [name, value])).toEqual(
      Object.keys(environmentSchema.shape).map((name) => [name, String(defaults.get(name) ?? '')]),
    );
  });

  it('names every outcome, and every search attribute but none that does not exist', () => {
    const names = tableRows(results).map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining([...outcomeKinds]));
    const attributes = new Set(results.match(/Turnwise[A-Z]\w+/g));
    expect([...attributes].sort()).toEqual(Object.values(searchAttributes).sort());
  });

  it('names the evaluators with and without a judge, each in its table, and no others', () => {
    const text = readDocument('docs/reference/evaluation-functions.md');
    for (const judged of [false, true]) {
      const expected = [...signatures].filter(([, signature]) => signature.judged === judged);
      const table = section(text, judged ? 'With a judge' : 'Without a judge');
      const documented = tableRows(table).filter(([name = '']) => name.startsWith('eval_'));
      expect(documented.map(([name]) => name)).toEqual(expected.map(([name]) => name));
      for (const [index, [name, { required }]] of expected.entries()) {
        const [, given = ''] = documented[index] ?? [];
        const isComplete =
          given.includes('the same') || required.every((key) => given.includes(key));
        expect([name, isComplete]).toEqual([name, true]);
      }
    }
    const unknown = [...text.matchAll(/`(eval_\w+)`/g)].filter(
      ([, name = '']) => !signatures.has(name) && !/^eval_(func|kwargs)/.test(name),
    );
    expect(unknown).toEqual([]);
  });
});

describe('the README', () => {
  it('shows a dataset without a flaw', () => {
    const datasets = codeBlocks(readme).filter(({ language }) => language === 'jsonl');
    expect(datasets.length).toBeGreaterThan(0);
    for (const { lines } of datasets) {
      expect(readDataset(lines.join('\n'))).toMatchObject({ kind: 'items', warnings: [] });
    }
  });

  it('is a front page of at most 120 lines, with small pictures', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
    const bytes = (picture: string): number =>
      statSync(join(checkout, 'docs/pictures', picture)).size;
    expect(bytes('temporal-ui.png')).toBeLessThan(150_000);
    expect(bytes('report.png')).toBeLessThan(200_000);
    expect(bytes('view.png')).toBeLessThan(150_000);
    expect(bytes('database-qa.png')).toBeLessThan(300_000);
  });

  it('leads to every page of the guide', () => {
    const pages = documents().filter((path) => /^docs\/(?:reference\/)?[\w-]+\.md$/.test(path));
    expect(pages.filter((path) => !readme.includes(`](${path})`))).toEqual([]);
  });
});

it('has every page that a message names', () => {
  const named = ['client', 'domain', 'worker', 'activities', 'storage'].flatMap((folder) =>
    readdirSync(join(checkout, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => {
        const source = readFileSync(join(checkout, folder, file), 'utf8');
        return [...source.matchAll(/`turnwise docs ([\w-]+)/g)].map(([, page = '']) => page);
      }),
  );
  expect(named).toContain('methods');
  const pages = documents().map((path) => basename(path, '.md'));
  expect(named.filter((page) => !pages.includes(page))).toEqual([]);
});

it('has a glossary of at most 40 terms', () => {
  const terms =
    readDocument('docs/explanation/glossary.md').match(/\*\*[^*]+\*\*(?=:| means|,)/g) ?? [];
  expect(terms.length).toBeGreaterThan(20);
  expect(terms.length).toBeLessThanOrEqual(40);
});

it('documents a script of the simulated model without a flaw', () => {
  const blocks = codeBlocks(readDocument('docs/reference/simulated-model.md'));
  expect(blocks.map(({ language }) => language)).toEqual(['json']);
  for (const { lines } of blocks) scriptSchema.parse(JSON.parse(lines.join('\n')));
});

it('documents every setting of a model, and a turnwise.yaml that is taken', () => {
  const text = readDocument('docs/how-to/models.md');
  const settings = [...text.matchAll(/^\|[^|]*\| `(\w+)`/gm)].map(([, name]) => name);
  expect(settings.toSorted()).toEqual(Object.keys(modelEntrySchema.shape).toSorted());

  const { options } = new CommandLine().takes(modelOptions);
  const flags = [...text.matchAll(/^\| `(--[\w-]+)`/gm)].map(([, name]) => name);
  expect(options.map(({ long }) => long)).toEqual(expect.arrayContaining(flags));

  const [yaml] = codeBlocks(text).filter(({ file }) => file === 'turnwise.yaml');
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-docs-'));
  writeFileSync(join(folder, 'turnwise.yaml'), yaml?.lines.join('\n') ?? '');
  const { models, prices } = readTurnwiseYaml(folder);
  expect([Object.keys(models).length, Object.keys(prices).length]).toEqual([2, 2]);
});

it('documents a query that reads results while they are appended', async () => {
  const [sql] = codeBlocks(readDocument('docs/how-to/steering.md')).filter(
    ({ language }) => language === 'sql',
  );
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-docs-'));
  const run = join(folder, '.turnwise/runs/steered');
  mkdirSync(run, { recursive: true });
  const line = (uuid: string): string =>
    `${JSON.stringify({ ...exampleEnd(sampleKey(uuid)).result, turns: 3 })}\n`;
  const whole = line('a') + line('b');
  for (let length = 0; length < line('c').length; length += 1) {
    if (length % 40 !== 0) continue;
    writeFileSync(join(run, 'results.jsonl'), whole + line('c').slice(0, length));
    const rows = await querySql(sql?.lines.join('\n') ?? '', folder);
    expect(rows.map(([outcome, count, turns]) => [outcome, Number(count), turns])).toEqual([
      ['answered', 2, 3],
    ]);
  }
});

it('documents every outcome in the steering of runs', () => {
  const text = readDocument('docs/how-to/steering.md');
  const missing = outcomeKinds.filter((kind) => !text.includes(`\`${kind}\``));
  expect(missing).toEqual([]);
  const attributes = new Set(text.match(/Turnwise[A-Z]\w+/g));
  const known: readonly string[] = Object.values(searchAttributes);
  expect([...attributes].filter((name) => !known.includes(name))).toEqual([]);
});

describe.each(documents())('%s', (document) => {
  const text = readDocument(document);

  it('links to nothing in the checkout that is not there', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    const missing = links.flatMap(([link, target = '', anchor]) => {
      const path = target === '' ? document : join(dirname(document), target);
      if (!existsSync(join(checkout, path))) return [link];
      return anchor === undefined || anchors(readDocument(path)).has(anchor) ? [] : [link];
    });
    expect(missing).toEqual([]);
  });

  it('asks npm and docker compose for nothing that is not there', () => {
    const commands = codeBlocks(text)
      .filter(({ language }) => language === 'sh')
      .flatMap(({ lines }) => lines);
    const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const { services } = parse(readFileSync(join(checkout, 'docker-compose.yml'), 'utf8')) as {
      services: Record<string, unknown>;
    };
    for (const command of commands) {
      const [, script] = /^npm (?:run )?([\w:-]+)/.exec(command) ?? [];
      if (script !== undefined) expect(scripts).toHaveProperty(script);
      const [, service] = /^docker compose .*--scale (\w+)=/.exec(command) ?? [];
      if (service !== undefined) expect(services).toHaveProperty(service);
      expect(command).toMatch(
        /^(npm (start|test|run example:database-qa)|npx turnwise \w|node \w+\.mjs$|temporal workflow \w|docker compose up|export \w+=|mkdir -p |cp examples\/)/,
      );
    }
  });
});

/** What stands under a heading, up to the next one. */
function section(markdown: string, heading: string): string {
  const [, text = ''] = markdown.split(`\n## ${heading}\n`);
  return text.split('\n## ')[0] ?? '';
}

/** The fragments by which the headings of a page are linked to. */
const anchors = (markdown: string): ReadonlySet<string> =>
  new Set(
    [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
