import { describe, expect, it } from 'vitest';
import { toolsOf } from '../../../domain/actions/action-tools.js';
import { actionNames } from '../../../domain/actions/action.js';
import { parseReply } from '../../../domain/actions/parse-reply.js';

const actions = ['ClassicRetrieve', 'GenerateAnswer'] as const;

const read = (content: string, ...calls: (readonly [name: string, argumentsText: string])[]) =>
  parseReply(
    content,
    { actions, strictness: 'tolerant', format: 'tools', protocol: 'react' },
    calls.map(([name, argumentsText], index) => ({ id: `call_${index}`, name, argumentsText })),
  );

describe('a reply with native tool calls', () => {
  it('takes the first call, with what is said beside it for the thought', () => {
    const calls = [
      ['ClassicRetrieve', '{"query": "q"}'],
      ['GenerateAnswer', '{"answer": 1}'],
    ] as const;
    expect(read(' I look first. ', ...calls)).toEqual({
      kind: 'action',
      thought: 'I look first.',
      action: { kind: 'ClassicRetrieve', query: 'q', limit: { kind: 'literal', source: '5' } },
    });
  });

  it('tells a float from an int, and takes what is almost JSON', () => {
    const answer = (text: string) => read('', ['GenerateAnswer', text]);
    expect(answer('{"answer": 1.0}')).toMatchObject({ action: { answer: { source: '1.0' } } });
    expect(answer(`{'answer': None}`)).toMatchObject({ action: { answer: { source: 'None' } } });
  });

  it('finds a call that a server left in the text', () => {
    const content =
      'Let me see.\n<tool_call>\n{"name": "ClassicRetrieve", "arguments": {"query": "q"}}\n</tool_call>';
    expect(read(content)).toMatchObject({ kind: 'action', action: { query: 'q' } });
  });

  it.each([
    ['Search', '{}', 'There is no action Search.'],
    ['ClassicRetrieve', '{"query": ', 'the text ends too early.'],
    ['ClassicRetrieve', '[]', 'The parameters are no object.'],
    ['ClassicRetrieve', '', 'The required parameter query is missing.'],
    ['ClassicRetrieve', '{"query": "q", "thought": "t"}', 'There is no parameter thought.'],
  ])('tells what is wrong with %s(%s)', (name, argumentsText, reason) => {
    const parsed = read('', [name, argumentsText]);
    expect(parsed.kind === 'error' && parsed.error).toContain(reason);
  });

  it('says so where nothing is called', () => {
    expect(read('I do not know.')).toMatchObject({ kind: 'error' });
  });
});

describe('actions as tools', () => {
  it('hold the JSON schema of their parameters', () => {
    const [tool] = toolsOf(['ViewImage']);
    expect(tool).toMatchObject({
      name: 'ViewImage',
      parameters: {
        type: 'object',
        properties: {
          paper_id: { type: 'string' },
          page_number: { type: 'integer', minimum: 1 },
          bounding_box: { type: 'array', items: { type: 'number' }, default: [] },
        },
        required: ['paper_id', 'page_number'],
        additionalProperties: false,
      },
    });
  });

  it('are as many as the actions, and survive JSON', () => {
    const tools = toolsOf(actionNames);
    expect(tools).toHaveLength(actionNames.length);
    expect(JSON.parse(JSON.stringify(tools))).toEqual(tools);
  });
});
