import { describe, expect, it } from 'vitest';
import { actionNames, actionSchema } from '../../../domain/actions/action.js';
import { actionSpecs, renderActionSpace } from '../../../domain/actions/action-specs.js';
import { markdownFormat } from '../../../domain/actions/markdown-format.js';
import { parseReply } from '../../../domain/actions/parse-reply.js';

describe.each(actionNames)('the specification of %s', (name) => {
  const spec = actionSpecs[name];

  it('has the parameters of the schema, in its order, required ones first', () => {
    const schema = actionSchema.options.find(({ shape }) => shape.kind.value === name);
    const names = spec.parameters.map((parameter) => parameter.name);
    expect(['kind', ...names]).toEqual(Object.keys(schema?.shape ?? {}));
    const optional = spec.parameters.map(({ default: fallback }) => fallback !== undefined);
    expect(optional).toEqual(optional.toSorted());
  });

  it('has two examples that both readers read as what they are', () => {
    expect(spec.examples).toHaveLength(2);
    for (const { action } of spec.examples) {
      expect(action.kind).toBe(name);
      for (const strictness of ['strict', 'tolerant'] as const) {
        const reply = `[Action]: ${markdownFormat.renderAction(action)}`;
        expect(parseReply(reply, { actions: [name], strictness })).toEqual({
          kind: 'action',
          thought: '',
          action,
        });
      }
    }
  });
});

describe('renderActionSpace', () => {
  it('lays a specification out as the reference does', () => {
    const { description, observation, parameters, examples } = actionSpecs.ClassicRetrieve;
    expect(renderActionSpace(['ClassicRetrieve'], 'markdown').split('\n')).toEqual([
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
    const space = renderActionSpace(actionNames, 'markdown');
    expect(space.split('\n----\n')).toHaveLength(3);
    expect(space).toContain("['RetrieveFromDatabase', 'ClassicRetrieve', 'GenerateAnswer']");
    expect(space.indexOf('ClassicRetrieve(')).toBeLessThan(space.indexOf('GenerateAnswer('));
  });
});
