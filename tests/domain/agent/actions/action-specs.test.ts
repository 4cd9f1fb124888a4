import { describe, expect, it } from 'vitest';
import {
  actionFormats,
  renderActionSpace,
} from '../../../../domain/agent/actions/action-formats.js';
import { actionSpecs } from '../../../../domain/agent/actions/action-specs.js';
import { actionNames, actionSchema, type Action } from '../../../../domain/agent/actions/action.js';
import { parseReply } from '../../../../domain/agent/actions/parse-reply.js';

describe.each(actionNames)('the specification of %s', (name) => {
  const spec = actionSpecs[name];

  it('has the parameters of the schema, in its order, required ones first', () => {
    const schema = actionSchema.options.find(({ shape }) => shape.kind.value === name);
    const names = spec.parameters.map((parameter) => parameter.name);
    const hidden = ['output_fields'];
    expect(['kind', ...names]).toEqual(
      Object.keys(schema?.shape ?? {}).filter((key) => !hidden.includes(key)),
    );
    const optional = spec.parameters.map(({ default: fallback }) => fallback !== undefined);
    expect(optional).toEqual(optional.toSorted());
  });

  it('has two examples, or one where one says it all', () => {
    expect(spec.examples).toHaveLength(name === 'CalculateExpr' ? 1 : 2);
    expect(spec.examples.map(({ action }) => action.kind)).toContain(name);
  });

  it.each(['markdown', 'json', 'xml', 'yaml'] as const)(
    'has examples that both readers of %s read as what they are',
    (format) => {
      for (const { action } of spec.examples) {
        for (const strictness of ['strict', 'tolerant'] as const) {
          const reply = `[Action]: ${actionFormats[format].renderExample(action)}`;
          const style = { actions: [name], strictness, format, protocol: 'react' } as const;
          const parsed = parseReply(reply, style);
          expect(parsed.kind).toBe('action');
          if (parsed.kind === 'action')
            expect(withoutTypes(parsed.action)).toBe(withoutTypes(action));
        }
      }
    },
  );
});

/** XML does not tell a number from its digits. */
const withoutTypes = (action: Action): string => actionFormats.xml.renderAction(action, 'tolerant');

describe('renderActionSpace', () => {
  it('lays a specification out as the reference does', () => {
    const { description, observation, parameters, examples } = actionSpecs.ClassicRetrieve;
    expect(
      renderActionSpace(['ClassicRetrieve'], 'markdown', { collections: [] }).split('\n'),
    ).toEqual([
      '## Action and Observation Space',
      "These actions are available: ['ClassicRetrieve']. Each is specified below in MARKDOWN format:",
      '',
      '### Action Type',
      'ClassicRetrieve',
      '',
      '### Description',
      description,
      '',
      '### Observation',
      observation,
      '',
      '### Syntax and Parameters (MARKDOWN Format)',
      'ClassicRetrieve(query: str, limit: int = 5)',
      `- query: str, required. ${parameters[0]?.description ?? ''}`,
      `- limit: int, optional, default to 5. ${parameters[1]?.description ?? ''}`,
      '',
      '### Use Cases',
      '',
      '#### Case 1',
      examples[0]?.explanation,
      '',
      "[Action]: ClassicRetrieve(query='inter-annotator agreement of the human evaluation', limit=5)",
      '',
      '',
      '#### Case 2',
      examples[1]?.explanation,
      '',
      `[Action]: ClassicRetrieve(query="the encoder's number of layers", limit=3)`,
      '',
      '',
    ]);
  });

  it('parts the actions by a rule, in the order they are named', () => {
    const space = renderActionSpace(actionNames, 'markdown', { collections: [] });
    expect(space.split('\n----\n')).toHaveLength(7);
    expect(space).toContain(
      "['RetrieveFromDatabase', 'RetrieveFromVectorstore', 'ClassicRetrieve', 'CalculateExpr', 'ViewImage', 'QueryGraph', 'GenerateAnswer']",
    );
    expect(space.indexOf('ClassicRetrieve(')).toBeLessThan(space.indexOf('GenerateAnswer('));
  });
});
