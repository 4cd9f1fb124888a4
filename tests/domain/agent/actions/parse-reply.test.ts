import { describe, expect, it } from 'vitest';
import {
  actionFormatNames,
  protocolNames,
  actionNames,
  actionSchema,
} from '../../../../domain/agent/actions/action.js';
import { toolsOf } from '../../../../domain/agent/actions/action-formats.js';
import { parseErrorKind } from '../../../../domain/agent/actions/parse-error.js';
import {
  parseReply,
  assistantMessage,
  type ParsedReply,
  type ReplyStyle,
} from '../../../../domain/agent/actions/parse-reply.js';
import { anyAction, anyText } from '../../../support/arbitrary/arbitrary-action.js';
import fc from '../../../support/arbitrary/fast-check.js';

/** Together with those of other tests, the runs of this file come to 100,000 in CI. */
const runsEach = 2000;

const styles: readonly ReplyStyle[] = actionFormatNames.flatMap((format) =>
  protocolNames.flatMap((protocol) =>
    (['strict', 'tolerant'] as const).map((strictness) => ({
      actions: actionNames,
      strictness,
      format,
      protocol,
    })),
  ),
);

/** Without what looks like a label or is stripped at the ends. */
const thought = fc
  .stringMatching(/^[a-z][a-z .,()'"\n-]{0,40}[a-z]$/)
  .filter((value) => !/[a-z]+\s*:/.test(value));

const scrap = fc.constantFrom(
  ...['[Thought]:', '[Action]:', '[Observation]:', '**Action**', '## Action\n', 'Action:'],
  ...['<think>', '</think>', 'GenerateAnswer(', 'ClassicRetrieve (', 'RetrieveFromDatabase(sql='],
  ...['answer=', 'limit=', ')', '(', '{', '}', '[', ']', '"', "'", '"""', '“', '’', '\\', '\\n'],
  ...[
    '\\u12',
    '#',
    ',',
    ':',
    '=',
    '1',
    '-',
    'null',
    'x',
    ' ',
    '\n',
    '```',
    '`',
    '\u0085',
    '\ud800',
  ],
  ...['{"action_type": "GenerateAnswer", "parameters": {', '"answer": ', '"thought": "t"', 'NaN'],
  ...['<action>', '</action>', '<action_type>GenerateAnswer</action_type>', '<parameters>'],
  ...['<answer>', '</answer>', '<![CDATA[', ']]>', '&lt;', '&', '<', '<!--', '<!DOCTYPE x ['],
  ...['action_type: GenerateAnswer\nparameters:\n', '  answer: ', '  sql: |\n', '    a\n', '- '],
  ...['&a ', '*a', '!!str ', '<<: ', '? ', '---\n', '%', '@', '\t'],
);

describe.each(styles)('a $strictness reply of $format in $protocol', (style) => {
  it('is an action or an error, whatever it says, and the same one twice', () => {
    const reply = fc.oneof(
      anyText,
      fc.array(scrap, { maxLength: 60 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(reply, reply, (content, argumentsText) => {
        const calls =
          style.format === 'tools'
            ? [{ id: 'c', name: content.length % 2 ? 'ClassicRetrieve' : 'x', argumentsText }]
            : [];
        const parsed = parseReply(content, style, calls);
        expectReading(parsed, style);
        expect(parseReply(content, style, calls)).toEqual(parsed);
      }),
      { numRuns: runsEach },
    );
  });

  it('is an action or an error after it was tampered with', () => {
    fc.assert(
      fc.property(
        thought,
        anyAction,
        fc.nat(),
        fc.nat(8),
        scrap,
        (why, action, place, cut, extra) => {
          const written = assistantMessage({ kind: 'action', thought: why, action }, '', style);
          const at = place % written.length;
          const reply = written.slice(0, at) + extra + written.slice(at + cut);
          expectReading(parseReply(reply, style), style);
        },
      ),
      { numRuns: runsEach },
    );
  });
});

// Strictly, history loses the prefix of xml and yaml, and a label or fence in an argument ends the action.
const tolerantStyles = styles.filter(({ strictness }) => strictness === 'tolerant');

describe.each(tolerantStyles)('a reply of $format in $protocol', (style) => {
  it('reads back what history holds', () => {
    fc.assert(
      fc.property(thought, anyAction, (why, action) => {
        const written = assistantMessage({ kind: 'action', thought: why, action }, '', style);
        fc.pre(!hasLatexEscape(written) && !(style.format === 'xml' && isNoXmlText(written)));
        const parsed = parseReply(written, style);
        expect(parsed.kind === 'action' && assistantMessage(parsed, '', style)).toBe(written);
      }),
      { numRuns: runsEach },
    );
  });
});

/** What neither ends an action nor spoils a tag. */
const harmless = fc.constantFrom(
  ...['Action:', '\n', '  ', '- ', '**', '### ', '# c', 'x', '3'],
  ...['"', "'", '{', '}', '(', ')', ',', '=', ':'],
);

const textStyles = tolerantStyles.filter(({ format }) => format !== 'tools');

describe.each(textStyles)('a reply of $format in $protocol', (style) => {
  it('that is an action when read strictly is one, or wants better parameters, when read tolerantly', () => {
    fc.assert(
      fc.property(
        thought,
        anyAction,
        fc.constantFrom('\n', ' '),
        fc.nat(),
        fc.nat(3),
        harmless,
        (why, action, blank, place, cut, extra) => {
          // With the prefix that strict history loses of xml and yaml.
          const written = assistantMessage({ kind: 'action', thought: why, action }, '', style);
          const behindLabel = written.replace('[Action]:\n', () => `[Action]:${blank}`);
          const at = place % behindLabel.length;
          const reply = behindLabel.slice(0, at) + extra + behindLabel.slice(at + cut);
          if (parseReply(reply, { ...style, strictness: 'strict' }).kind === 'error') return;
          const parsed = parseReply(reply, style);
          expect(parsed.kind === 'action' ? 'parameters' : parseErrorKind(parsed.error)).toBe(
            'parameters',
          );
        },
      ),
      { numRuns: runsEach },
    );
  });
});

describe.each(styles)('a $strictness reply of $format in $protocol', (style) => {
  it.each([
    ...[' ', '\n', '[', '[Action]: ', 'Thought: ', '[Action]: GenerateAnswer(answer="', '‘’'],
    ...['GenerateAnswer(“', 'GenerateAnswer(#\n', '\\', '1', '<think>', '```', '``` ', '{"action'],
    ...['{"action_type":', '{"a":', '<action>', '<a>', '<', '&', '<![CDATA[', 'action_type: '],
    ...['action_type:\n', '- ', '? ', '  a:\n', '&a [*a, ', '{a: '],
  ])('comes to an end on 200,000 characters of %j', (piece) => {
    const many = piece.repeat(200_000 / piece.length);
    for (const begin of ['[Thought]: a\n[Action]: GenerateAnswer(answer=(', '<action>', '']) {
      expectReading(parseReply(begin + many, style), style);
    }
  });
});

function expectReading(parsed: ParsedReply, { strictness }: ReplyStyle): void {
  if (parsed.kind === 'error') {
    expect(parsed.error).not.toBe('');
    return;
  }
  const { action } = parsed;
  expect(actionSchema.parse(JSON.parse(JSON.stringify(action)))).toEqual(action);
  if (strictness === 'tolerant') expect(Object.keys(action)).not.toContain('output_fields');
}

/** The tolerant reader of markdown and JSON takes some escapes for LaTeX. */
const hasLatexEscape = (written: string): boolean => /\\(?:[nrt][a-z]|[bf/])/.test(written);

/** XML has no place for these characters, and blanks at the ends of an element are not kept. */
const isNoXmlText = (written: string): boolean =>
  /[^\t\n\x20-\ud7ff\ue000-\ufffd]|>\s|\s<(?!\/?action)|\r/u.test(written.replace(/\n```$/, ''));

const actions = ['ClassicRetrieve', 'GenerateAnswer'] as const;

const read = (content: string, ...calls: (readonly [name: string, argumentsText: string])[]) =>
  parseReply(
    content,
    { actions, strictness: 'tolerant', format: 'tools', protocol: 'react' },
    calls.map(([name, argumentsText], index) => ({ id: `call_${index}`, name, argumentsText })),
  );

describe('a reply with native tool calls', () => {
  it('takes all calls up to an answer, with what is said beside them for the thought', () => {
    const calls = [
      ['ClassicRetrieve', '{"query": "q"}'],
      ['GenerateAnswer', '{"answer": 1}'],
      ['ClassicRetrieve', '{"query": "late"}'],
    ] as const;
    const answer = { kind: 'GenerateAnswer', answer: { kind: 'literal', source: '1' } };
    const search = { kind: 'ClassicRetrieve', query: 'q', limit: { kind: 'literal', source: '5' } };
    expect(read(' I look first. ', ...calls)).toMatchObject({
      kind: 'action',
      thought: 'I look first.',
      action: answer,
      calls: [
        { kind: 'action', action: search },
        { kind: 'action', action: answer },
      ],
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
