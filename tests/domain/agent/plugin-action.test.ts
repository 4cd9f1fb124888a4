import { describe, expect, it } from 'vitest';
import { parseReply, assistantMessage } from '../../../domain/agent/actions/parse-reply.js';
import { renderActionSpace, toolsOf } from '../../../domain/agent/actions/action-formats.js';
import type { PluginAction } from '../../../domain/agent/actions/action.js';
import { argumentsOf, pluginObservation } from '../../../domain/agent/plugin-action.js';
import { definitionsIn } from '../../../domain/agent/plugin-exports.js';
import type { PluginActionSpec } from '../../../domain/agent/plugin.js';
import { methodNeeds, methodOf } from '../../../domain/agent/methods.js';

const definition = {
  name: 'LookUp',
  description: 'Look up.',
  parameters: {
    term: { type: 'string', description: 'A term.' },
    limit: { type: 'integer', description: 'How many.', default: 3 },
    factor: { type: 'number', description: 'A factor.', default: 0.5 },
    exact: { type: 'boolean', description: 'Whether exactly.', default: false },
    more: { type: 'any', description: 'Anything.', default: null },
  },
  examples: [{ explanation: 'A term.', arguments: { term: 'a' } }],
};
const plugin = {
  path: 'mine.ts',
  sha256: 'a',
  ...definitionsIn(
    [
      { kind: 'action', definition },
      {
        kind: 'method',
        definition: { name: 'm', role: 'r', actions: ['LookUp'], about: 'tables' },
      },
    ],
    () => false,
  ),
};
const method = methodOf({ method: 'm', plugins: [plugin] });
const actions = method.kind === 'iterative' ? method.actions : [];
const spec = actions[0] as PluginActionSpec;

const written = {
  markdown: '[Thought]: t\n[Action]: LookUp(term="a b", limit=-2, exact=True)',
  json: '[Thought]: t\n[Action]: {"action_type": "LookUp", "parameters": {"term": "a b", "limit": -2, "exact": true}}',
  yaml: '[Thought]: t\n[Action]:\naction_type: LookUp\nparameters:\n  term: a b\n  limit: -2\n  exact: true\n',
  xml: '[Thought]: t\n[Action]: <action><action_type>LookUp</action_type><parameters><term>a b</term><limit>-2</limit><exact>true</exact></parameters></action>',
} as const;

function actionIn(text: string, format: keyof typeof written): PluginAction {
  const parsed = parseReply(text, { actions, format, strictness: 'tolerant', protocol: 'react' });
  if (parsed.kind !== 'action' || parsed.action.kind !== 'PluginAction') {
    throw new Error(JSON.stringify(parsed));
  }
  return parsed.action;
}

describe.each(Object.keys(written) as (keyof typeof written)[])('an action in %s', (format) => {
  const values = { term: 'a b', limit: -2, factor: 0.5, exact: true };

  it('is read with its defaults, and shown as it is read again', () => {
    const action = actionIn(written[format], format);
    expect(argumentsOf(action, spec)).toMatchObject({ kind: 'arguments', values });
    const shown = assistantMessage({ kind: 'action', thought: 't', action }, '', {
      format,
      protocol: 'react',
      strictness: 'tolerant',
    });
    expect(argumentsOf(actionIn(shown, format), spec)).toMatchObject({ values });
  });

  it('is described in the prompt', () => {
    const prompt = renderActionSpace(actions, format, { collections: [] });
    expect(prompt).toContain("['LookUp', 'GenerateAnswer']");
    expect(prompt).toContain('Look up.');
  });
});

it('is a tool of its own with a JSON schema', () => {
  expect(toolsOf(actions)[0]).toMatchObject({
    name: 'LookUp',
    parameters: {
      required: ['term'],
      properties: {
        limit: { type: 'integer', default: 3 },
        factor: { type: 'number' },
        exact: { type: 'boolean' },
      },
    },
  });
  expect(toolsOf(actions)[0]?.parameters['properties']).not.toHaveProperty('limit.minimum');
});

it('is refused as an observation when an argument has another type', () => {
  const action = actionIn('[Action]: LookUp(term=3)', 'markdown');
  expect(argumentsOf(action, spec)).toEqual({
    kind: 'refused',
    observed: {
      content: '[Error]: The parameter term must be a text, not 3.',
      outcome: { kind: 'failed', class: 'arguments' },
    },
  });
});

it.each([
  [{ kind: 'returned', value: 'a text' }, 'a text', { kind: 'found', shown: 1, cut: false }],
  [
    { kind: 'returned', value: { a: [1] } },
    '{\n "a": [\n  1\n ]\n}',
    { kind: 'found', shown: 1, cut: false },
  ],
  [{ kind: 'returned', value: ' ' }, '[Warning]: The action returned nothing.', { kind: 'empty' }],
  [
    { kind: 'failed', failure: 'threw', message: 'mine.ts:3: no' },
    '[Error]: mine.ts:3: no.',
    { kind: 'failed', class: 'threw' },
  ],
  [
    { kind: 'failed', failure: 'timeout', message: 'late' },
    '[TimeoutError]: late.',
    { kind: 'failed', class: 'timeout' },
  ],
] as const)('the observation of %j', (outcome, content, found) => {
  expect(pluginObservation(outcome)).toEqual({ content, outcome: found });
});

it('needs no store where the method reads none', () => {
  expect(methodNeeds(method)).toMatchObject({ reads: 'nothing', model: true });
  const reading = { ...method, schemas: ['database'] } as typeof method;
  expect(methodNeeds(reading).reads).toBe('stored-database');
});
