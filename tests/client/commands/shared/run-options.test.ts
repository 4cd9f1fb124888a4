import { CommandLine } from '../../../../client/commands/shared/command-line.js';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type OwnScorerFlags,
  ownScorerIn,
  requireMethod,
  runConfigOf,
} from '../../../../client/commands/shared/run-options.js';
import type { LoadedPlugin } from '../../../../client/runs/own-code.js';
import { flagsOf } from '../../../../domain/option.js';
import { pluginOption, sharedRunOptions } from '../../../../domain/runs/run-options.js';
import { priceAtOnce } from '../../../../domain/models/model-settings.js';
import { probeRequest } from '../../../../domain/runs/probe-requests.js';
import { batchPauseOf } from '../../../../domain/runs/run-config.js';
import { environmentSchema } from '../../../../domain/settings.js';
import { UserError } from '../../../../domain/user-error.js';

const plugin = { path: 'mine.ts', sha256: 'a', scorers: ['mine'], actions: [], methods: {} };
const loaded: LoadedPlugin = { plugin, code: '' };

it('takes any number of plugins', () => {
  const parsed = (...args: readonly string[]): unknown =>
    new CommandLine().takes(pluginOption).parse(args, { from: 'user' }).opts();
  expect(parsed()).toEqual({});
  expect(parsed('--plugin', 'a.ts', '--plugin', 'b.ts')).toEqual({ plugin: ['a.ts', 'b.ts'] });
});

it('finds a scorer among the plugins, and leaves the modes of turnwise to it', () => {
  expect(ownScorerIn({}, [loaded])).toBeNull();
  expect(ownScorerIn({ scorer: 'strict' }, [loaded], ['strict', 'default'])).toBeNull();
  expect(ownScorerIn({ scorer: 'mine' }, [loaded])).toEqual({ kind: 'plugin', name: 'mine' });
  expect(ownScorerIn({ scorerProgram: './a' }, [])).toEqual({ kind: 'program', command: './a' });
});

it.each<[OwnScorerFlags, readonly LoadedPlugin[], readonly string[], string]>([
  [{ scorer: 'a', scorerProgram: 'b' }, [], [], '--scorer and --scorer-program exclude each other'],
  [{ scorerProgram: ' ' }, [], [], '--scorer-program is an empty command'],
  [{ scorer: 'a' }, [], [], 'there is no scorer a: name the file that has it with --plugin'],
  [{ scorer: 'a' }, [loaded], [], 'there is no scorer a: choose one of mine'],
  [
    { scorer: 'a' },
    [],
    ['strict', 'default'],
    'there is no scorer a: choose one of strict, default, or one of a --plugin',
  ],
])('refuses %j', (flags, plugins, known, message) => {
  expect(() => ownScorerIn(flags, plugins, known)).toThrow(new UserError(message));
});

it('has texts of a file for the agent of the run and for its judges, and none of others', () => {
  const prompts = join(mkdtempSync(join(tmpdir(), 'turnwise-prompts-')), 'prompts.yaml');
  const given = { own: 'You know. {{inputs}} {{task}}', 'judge.role': 'You judge.' };
  writeFileSync(prompts, JSON.stringify({ ...given, 'sequential.plan': 'Plan.' }));
  const method = { kind: 'single-shot', summary: '', role: '', context: { kind: 'none' } } as const;
  const loadedOwn = { plugin: { ...plugin, methods: { own: method } }, code: '' };
  const environment = environmentSchema.parse({ OPENAI_API_KEY: 'k', TURNWISE_HOME: '/none' });
  const flags = flagsOf(sharedRunOptions, { method: 'own', judgeModel: ['j'], prompts });
  const { judging, ...config } = runConfigOf(flags, environment, {}, [loadedOwn]);
  expect(config.prompts).toEqual({ own: given.own });
  expect(judging?.prompts).toEqual({ 'judge.role': 'You judge.' });
  expect(() => runConfigOf({ ...flags, method: 'sequential' }, environment, {}, [])).toThrow(
    /line 1: own is no text: choose one of hybrid_react, /,
  );
});

it.each<[string, Record<string, unknown>, string | null]>([
  ['hybrid_react', { sqlRepairs: 1 }, '--sql-repairs'],
  ['iterative', { sqlRepairs: 1 }, '--sql-repairs'],
  ['sequential', { sqlRepairs: 1 }, null],
  ['hybrid_react', { sqlRepairs: 0 }, null],
  ['neusym_rag', { resultRows: 9 }, '--result-rows'],
  ['no-interaction', { resultTokens: 99 }, '--result-tokens'],
  ['iterative', { resultTokens: 99 }, null],
  ['sequential', { references: true }, '--references'],
  ['trivial_question_only', { references: true }, '--references'],
  ['neusym_rag', { references: true }, null],
  ['classic_rag', { maxTurns: 3 }, '--max-turns'],
  ['no-interaction', { maxTurns: 3 }, '--max-turns'],
  ['two_stage_graph_rag', { maxTurns: 3 }, '--max-turns'],
  ['iterative_graph_rag', { maxTurns: 3 }, null],
  ['two_stage_sym_rag', { window: 3 }, '--window'],
  ['database_react', { window: 3 }, null],
  ['text-to-sql', { actionFormat: 'xml' }, '--action-format'],
  ['two_stage_neu_rag', { actionFormat: 'tools' }, null],
  ['classic_rag', { observationFormat: 'html' }, '--observation-format'],
])('refuses an option that the method never reads: %s, %j', (method, given, idle) => {
  const environment = environmentSchema.parse({ OPENAI_API_KEY: 'k', TURNWISE_HOME: '/none' });
  const config = (): unknown =>
    runConfigOf(flagsOf(sharedRunOptions, { method, ...given }), environment, {});
  if (idle === null) expect(config).not.toThrow();
  else expect(config).toThrow(new UserError(`${idle} has no effect with ${method}: leave it out`));
});

it('refuses a method that nobody has', () => {
  const method = { kind: 'single-shot', summary: '', role: '', context: { kind: 'none' } } as const;
  const own = { ...plugin, methods: { own: method } };
  expect(() => requireMethod('own', [own])).not.toThrow();
  expect(() => requireMethod('hybrid_react', [])).not.toThrow();
  expect(() => requireMethod('owm', [own])).toThrow(
    /^there is no method owm \(did you mean own\?\): choose one of own, hybrid_react, /,
  );
  expect(() => requireMethod('owm', [])).toThrow(/, or one of a --plugin$/);
});

describe('--batch', () => {
  const environment = environmentSchema.parse({ OPENAI_API_KEY: 'k', TURNWISE_BATCH_PAUSE: '2.5' });
  const flags = flagsOf(sharedRunOptions, { judgeModel: ['gpt-4o'] });
  const config = runConfigOf(flags, environment, { batch: true });
  const atOnce = runConfigOf(flags, environment, {});

  it('halves the prices of the model and its judges, and keeps how long a batch is waited with', () => {
    const { input = 0, output = 0, cachedInput = 0 } = atOnce.model.price ?? {};
    expect(config.model).toMatchObject({
      price: { input: input / 2, output: output / 2, cachedInput: cachedInput / 2 },
      batch: { pauseMs: 2500 },
    });
    expect(config.judging?.models[0]?.price?.input).toBe(
      (atOnce.judging?.models[0]?.price?.input ?? 0) / 2,
    );
    expect(batchPauseOf(config)).toBe(2500);
    expect([atOnce.model.batch, batchPauseOf(atOnce)]).toEqual([undefined, null]);
    expect(priceAtOnce(config.model)).toEqual(atOnce.model.price);
    expect(probeRequest(config.model).price).toEqual(atOnce.model.price);
  });

  it('is refused beside --stream, and where nothing is asked', () => {
    expect(() => runConfigOf({ ...flags, stream: true }, environment, { batch: true })).toThrow(
      new UserError('--stream has no effect with --batch: leave it out'),
    );
    const graph = flagsOf(sharedRunOptions, { method: 'two_stage_graph_rag' });
    expect(() => runConfigOf(graph, environment, { batch: true })).toThrow(
      new UserError('--batch has no effect with two_stage_graph_rag: leave it out'),
    );
  });
});
