import { CommandLine } from '../../../client/commands/shared/command-line.js';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest';
import { z } from 'zod';
import { registerAsk } from '../../../client/commands/ask.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { placeAt } from '../../support/stores/place-at.js';

const documentSchema = z.object({
  endpoint: z.string(),
  prompts: z.string(),
  request: z.looseObject({
    model: z.string(),
    messages: z.array(z.object({ role: z.string(), content: z.string() })),
  }),
  tokens: z.object({
    encoding: z.string(),
    messages: z.array(z.number()),
    tools: z.number(),
    total: z.number(),
    estimated: z.array(z.string()),
  }),
});

const paperId = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const hash = 'a'.repeat(64);

let printed: MockInstance<typeof console.log>;
beforeEach(async () => {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-home-'));
  await placeAt(home).generations.publish({
    ...exampleManifest().store,
    key: 'k1',
    generation: 1,
    builtAt: '2026-01-01T00:00:00.000Z',
    papers: [{ paperId, title: 'A Paper of Turns', file: 'a.pdf', sha256: hash, pages: 4 }],
    files: {},
  });
  vi.stubEnv('TURNWISE_HOME', home);
  vi.stubEnv('OPENAI_API_KEY', '');
  vi.stubEnv('OPENAI_BASE_URL', '');
  vi.spyOn(process, 'cwd').mockReturnValue(home);
  printed = vi.spyOn(console, 'log').mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const prompt = (...args: readonly string[]): Promise<string> =>
  promptOf('--store', 'papers', ...args);

async function promptOf(...args: readonly string[]): Promise<string> {
  const program = new CommandLine('turnwise');
  registerAsk(program);
  program.commands[0]?.exitOverride().configureOutput({ writeErr: () => undefined });
  await program.parseAsync(['ask', '--dry-run', ...args], { from: 'user' });
  return printed.mock.calls.flat().join('\n');
}

const json = async (...args: readonly string[]): Promise<z.infer<typeof documentSchema>> =>
  documentSchema.parse(JSON.parse(await prompt('--json', ...args)));

describe('turnwise ask --dry-run', () => {
  it('prints the whole request, without a key, a model or a service', async () => {
    const { endpoint, request, tokens } = await json('How many turns?', '--answer-format', 'int');
    expect(endpoint).toBe('https://api.openai.com/v1');
    expect(request).toMatchObject({
      model: 'gpt-4o-mini',
      temperature: 0.7,
      top_p: 0.95,
      max_completion_tokens: 1500,
    });
    expect(request.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(request.messages[1]?.content).toMatch(
      /^\[Question\]: How many turns\?\n\[Answer Format\]: int\n/,
    );
    expect(tokens).toMatchObject({ encoding: 'o200k_base', tools: 0, estimated: [] });
    const [system = 0, task = 0] = tokens.messages;
    expect(tokens.total).toBe(system + task + 3);
    expect(task).toBeGreaterThan(1000);
  });

  it('puts it as the model takes it', async () => {
    const { request } = await json('--model', 'o1-mini');
    expect(request.messages.map(({ role }) => role)).toEqual(['user', 'user']);
    expect(request).not.toHaveProperty('temperature');
  });

  it('lists the tools of a run that calls them', async () => {
    const { request, tokens } = await json('--action-format', 'tools');
    expect(JSON.stringify(request['tools'])).toContain('GenerateAnswer');
    expect(tokens.tools).toBeGreaterThan(100);
    expect(tokens.estimated).toEqual(['providers rewrite tools']);
  });

  it.each([
    ['classic_rag', '4 passages'],
    ['trivial_full_text_with_cutoff', 'at most 5000 tokens'],
  ])('names the papers to %s, and says what the context will add', async (method, more) => {
    const { request, tokens } = await json('Why?', '--paper', 'a.pdf', '--method', method);
    expect(request.messages[0]?.content).toContain("[Anchor PDF]: 'A Paper of Turns'");
    expect(tokens.estimated).toEqual([`the context comes when the question is asked, ${more}`]);
  });

  it('says in words what was counted, in doubt, and what it costs', async () => {
    const text = await prompt('--model', 'qwen3-8b');
    expect(text).toMatch(/^── system \(\d+ tokens\)\n/);
    expect(text).toContain('[Question]: {question}');
    expect(text).toMatch(
      /\n\d+ tokens in o200k_base, an estimate: the tokenizer of qwen3-8b is not known here\nprice unknown \(.*turnwise\.yaml.*\)$/,
    );
    printed.mockClear();
    expect(await prompt()).toMatch(
      /\n\d+ tokens in o200k_base\n\$0\.00\d+ for these, the reply apart$/,
    );
  });

  describe('with a file of prompts', () => {
    const file = (texts: object): string => {
      const path = join(mkdtempSync(join(tmpdir(), 'turnwise-prompts-')), 'prompts.json');
      writeFileSync(path, JSON.stringify(texts));
      return path;
    };

    it('shows its texts, and the version that runs with them have', async () => {
      const changed = file({ 'frame.text': 'Take turns.', eval_m3sciqa: 'Select.' });
      const text = await prompt('--prompts', changed);
      expect(text).toContain('--------\n\nTake turns.\n\n--------');
      const [, version] = /\nprompts (\d+-[0-9a-f]{8})\n/.exec(text) ?? [];
      printed.mockClear();
      expect(await json('--prompts', changed)).toMatchObject({ prompts: version });
      printed.mockClear();
      expect(await prompt('--prompts', file({ 'frame.tools': 'Take turns.' }))).not.toContain(
        `prompts ${version ?? ''}\n`,
      );
    });

    it('prints all texts there are, as it reads them', async () => {
      const own = z.record(z.string(), z.string()).parse(JSON.parse(await prompt('--texts')));
      expect(Object.keys(own)).toEqual(
        expect.arrayContaining(['hybrid_react', 'action.ClassicRetrieve.query', 'review.IP']),
      );
      printed.mockClear();
      const changed = { ...own, 'judge.role': 'You judge.' };
      expect(JSON.parse(await prompt('--texts', '--prompts', file(changed)))).toMatchObject({
        'judge.role': 'You judge.',
      });
      printed.mockClear();
      const { prompts } = await json('--prompts', file(changed));
      expect(prompts).toMatch(/^\d+$/);
    });

    it('refuses what stands in no place, or lacks what has to be in it', async () => {
      const bad = file({ hybrid_reach: 'x', hybrid_react: 'You answer. {{inputs}}' });
      await expect(prompt('--prompts', bad)).rejects.toThrow(
        /prompts\.json: line 1: hybrid_reach is no text \(did you mean hybrid_react\?\): choose one of hybrid_react, .*, review\.again\n.*line 1: hybrid_react lacks \{\{actionSpace\}\}, \{\{framework\}\}, /,
      );
    });
  });

  it.each([
    ['a store that is not there', ['Why?', '--store', 'nowhere'], 'nowhere'],
    ['an empty question', [' ', '--store', 'papers'], 'question'],
  ])('refuses %s', async (_, args, words) => {
    await expect(promptOf(...args)).rejects.toThrow(words);
  });
});

describe('turnwise ask --dry-run with a method whose prompts hold all rows', () => {
  const lamps = (rows: number): string => {
    const path = join(mkdtempSync(join(tmpdir(), 'turnwise-lamps-')), 'lamps.csv');
    const lines = Array.from({ length: rows }, (_, row) => `${row},lamp ${row}`);
    writeFileSync(path, ['id,name', ...lines, ''].join('\n'));
    return path;
  };
  const asked = ['How many lamps?', '--method', 'no-interaction', '--database'];

  it('prints them', async () => {
    const text = await promptOf(...asked, lamps(3));
    expect(text).toContain('[Rows]:\nlamps:\nid,name\n0,lamp 0\n1,lamp 1\n2,lamp 2');
    expect(text).not.toContain('read from the store');
  });

  it('says that no request would be sent where they do not fit', async () => {
    await expect(promptOf(...asked, lamps(5000), '--context-tokens', '8000')).rejects.toThrow(
      /^no request would be sent: all rows of the database are about \d+ tokens/,
    );
  });
});
