import { describe, expect, it } from 'vitest';
import type { TextFormatName, Strictness } from '../../../../domain/agent/actions/action.js';
import { parseReply } from '../../../../domain/agent/actions/parse-reply.js';
import { actionFormats } from '../../../../domain/agent/actions/action-formats.js';

const actions = ['RetrieveFromDatabase', 'ClassicRetrieve', 'ViewImage', 'GenerateAnswer'] as const;

/** The action as the markdown of history, so that types show; the error after a `!`. */
const reader = (format: TextFormatName, strictness: Strictness) => (reply: string) => {
  const parsed = parseReply(reply, { actions, format, strictness, protocol: 'react' });
  return parsed.kind === 'error'
    ? `! ${parsed.error}`
    : actionFormats.markdown.renderAction(parsed.action, 'strict');
};

const noAction =
  "! Failed to parse a valid action from the response. Please check the specification for these actions ['RetrieveFromDatabase', 'ClassicRetrieve', 'ViewImage', 'GenerateAnswer'].";
const badParameters = (name: string, reason: string) =>
  `! Failed to parse the parameters for action ${name} from the response. ${reason}.`;
const badStructure = (what: string, reason: string) =>
  `! Failed to parse a valid ${what} from the response. ${reason}.`;

describe('json in strict mode', () => {
  const read = reader('json', 'strict');
  const call = (type: string, parameters: string) =>
    `{"action_type": "${type}", "parameters": ${parameters}}`;

  it.each([
    [
      `Well: ${call('RetrieveFromDatabase', '{"sql": "SELECT 1"}')} so.`,
      `RetrieveFromDatabase(sql='SELECT 1')`,
    ],
    [call('ClassicRetrieve', '{}'), `ClassicRetrieve(query='', limit=5)`],
    [
      call('ClassicRetrieve', '{"query": 7, "limit": "3"}'),
      `ClassicRetrieve(query='7', limit='3')`,
    ],
    [
      call('GenerateAnswer', '{"answer": [1, 1.0, -0.5, 1e5, null, true]}'),
      'GenerateAnswer(answer=[1, 1.0, -0.5, 100000.0, None, True])',
    ],
    [call('GenerateAnswer', '{"answer": NaN}'), 'GenerateAnswer(answer=nan)'],
    [
      call('GenerateAnswer', String.raw`{"answer": "\u00e9\/\n"}`),
      String.raw`GenerateAnswer(answer='é/\n')`,
    ],
    [call('GenerateAnswer', '{"answer": {"a": 1, "a": 2}}'), `GenerateAnswer(answer={'a': 2})`],
    [
      call('RetrieveFromDatabase', '{"sql": "a", "thought": "t", "observation_format_kwargs": {}}'),
      `RetrieveFromDatabase(sql='a')`,
    ],
    [`[${call('GenerateAnswer', '{}')}]`, `GenerateAnswer(answer='')`],
  ])('accepts %s', (reply, action) => expect(read(`[Action]: ${reply}`)).toBe(action));

  it.each([
    [
      `${call('GenerateAnswer', '{}')} ${call('GenerateAnswer', '{}')}`,
      badStructure('JSON dict', String.raw`unexpected "{", at "{\"action_type\": \"Gen"`),
    ],
    [
      call('RetrieveFromDatabase', '{"sql": "a\nb"}'),
      badStructure(
        'JSON dict',
        String.raw`a line break or control character in a text, at "\nb\"}}"`,
      ),
    ],
    [
      `{'action_type': 'GenerateAnswer'}`,
      badStructure('JSON dict', `unexpected "'", at "'action_type': 'Gene"`),
    ],
    ['{"action_type": "GenerateAnswer",}', badStructure('JSON dict', 'unexpected "}", at "}"')],
    ['{"a": 01}', badStructure('JSON dict', 'unexpected "1", at "1}"')],
    ['{"a": [1 2]}', badStructure('JSON dict', 'unexpected "2", at "2]}"')],
    ['{"a" 1}', badStructure('JSON dict', 'unexpected "1", at "1}"')],
    ['{"a": nil}', badStructure('JSON dict', 'unexpected "n", at "nil}"')],
    ['{"a": x3}', badStructure('JSON dict', 'unexpected "x", at "x3}"')],
    [
      String.raw`{"a": "\x"}`,
      badStructure('JSON dict', String.raw`an escape is malformed, at "\"\\x\"}"`),
    ],
    [
      `{"a": ${'['.repeat(300)}}`,
      badStructure('JSON dict', 'brackets are nested too deeply, at "[[[[[[[[[[[[[[[[[[[["'),
    ],
    ['[1, 2]', noAction],
    ['{"action_type": "generateanswer", "parameters": {}}', noAction],
    ['{"action_type": 3, "parameters": {}}', noAction],
    ['{"parameters": {}}', noAction],
    ['give up', noAction],
    ['{"action_type": "GenerateAnswer"}', badParameters('GenerateAnswer', "'parameters'")],
    [
      call('GenerateAnswer', 'null'),
      badParameters('GenerateAnswer', 'The parameters are no object'),
    ],
    [
      call('RetrieveFromDatabase', '{"sql": "a", "limit": 5}'),
      badParameters('RetrieveFromDatabase', 'There is no parameter limit'),
    ],
  ])('refuses %s', (reply, error) => expect(read(`[Action]: ${reply}`)).toBe(error));
});

describe('json read tolerantly', () => {
  const read = reader('json', 'tolerant');

  it.each([
    [
      `[Action]: {'action_type': 'RetrieveFromDatabase', 'parameters': {'sql': 'a\nb'}}`,
      String.raw`RetrieveFromDatabase(sql='a\nb')`,
    ],
    [
      `\`\`\`json\n{"action_type": "GenerateAnswer", "parameters": {"answer": [1,],},}\n\`\`\`\nDone.`,
      'GenerateAnswer(answer=[1])',
    ],
    [
      `[Action]: {"name": "generateAnswer", "arguments": {"answer": null}}`,
      'GenerateAnswer(answer=None)',
    ],
    [`{"action_type": "ClassicRetrieve", "query": "q"}`, `ClassicRetrieve(query='q', limit=5)`],
    [
      `{"action_type": "GenerateAnswer", "parameters": {"answer": 1}} - that is all.`,
      'GenerateAnswer(answer=1)',
    ],
    [
      `{"thought": "I know {it}.", "action_type": "GenerateAnswer", "parameters": {"answer": 1}}`,
      'GenerateAnswer(answer=1)',
    ],
    [
      `{"parameters": {"query": "q", "limit": "3"}, "action_type": "ClassicRetrieve"}`,
      `ClassicRetrieve(query='q', limit=3)`,
    ],
    [
      `[Thought]: \\frac{a}{b}, {x}\n[Action]: {“action_type”: “GenerateAnswer”, “parameters”: {“answer”: “y”}}`,
      `GenerateAnswer(answer='y')`,
    ],
    [
      String.raw`{"action_type": "GenerateAnswer", "parameters": {"answer": "\alpha \/ \text{b}"}}`,
      String.raw`GenerateAnswer(answer='\\alpha / \\text{b}')`,
    ],
    [
      `{"action_type": "GenerateAnswer", "parameters": {"answer": "[Observation]: x"}}\n[Observation]: 1\n{"action_type": "GenerateAnswer", "parameters": {"answer": 2}}`,
      `GenerateAnswer(answer='[Observation]: x')`,
    ],
  ])('reads %s', (reply, action) => expect(read(reply)).toBe(action));

  it.each([
    [
      `{"action_type": "ClassicRetrieve", "parameters": {"thought": "t", "query": "q"}}`,
      badParameters('ClassicRetrieve', 'There is no parameter thought'),
    ],
    [
      `{"action_type": "ClassicRetrieve", "parameters": {}}`,
      badParameters('ClassicRetrieve', 'The required parameter query is missing'),
    ],
    [
      `{"action_type": "Search", "parameters": {}}`,
      noAction.replace('Please', 'There is no action Search. Please'),
    ],
    [
      `{"action_type": "GenerateAnswer", "parameters": {"answer": }}`,
      badStructure('JSON dict', 'unexpected "}", at "}}"'),
    ],
    ['I do not know', noAction.replace('Please', 'It names no action. Please')],
  ])('tells what is wrong with %s', (reply, error) => expect(read(reply)).toBe(error));
});

describe('xml read strictly', () => {
  const read = reader('xml', 'strict');
  const element = (type: string, parameters: string) =>
    `<action><action_type>${type}</action_type><parameters>${parameters}</parameters></action>`;

  it.each([
    [
      `Well: ${element('RetrieveFromDatabase', '<sql>a &lt; 3 &amp; b &#65;</sql>')} so.`,
      `RetrieveFromDatabase(sql='a < 3 & b A')`,
    ],
    [
      element('RetrieveFromDatabase', '<sql>\n  SELECT 1\n</sql>'),
      `RetrieveFromDatabase(sql='SELECT 1')`,
    ],
    [
      element('RetrieveFromDatabase', '<sql>SELECT 1 WHERE a < 3 AND b > 4</sql>'),
      `RetrieveFromDatabase(sql='SELECT 1 WHERE a')`,
    ],
    [
      element('RetrieveFromDatabase', '<sql><![CDATA[a < 3 & b]]></sql>'),
      `RetrieveFromDatabase(sql='a < 3 & b')`,
    ],
    [
      element('RetrieveFromDatabase', '<sql>a & b &nbsp; c</sql>'),
      `RetrieveFromDatabase(sql='a  b  c')`,
    ],
    [element('RetrieveFromDatabase', '<!-- why --><sql>a'), `RetrieveFromDatabase(sql='a')`],
    [
      element('ClassicRetrieve', '<query>q</query><limit>3</limit>'),
      `ClassicRetrieve(query='q', limit='3')`,
    ],
    [
      element(
        'ViewImage',
        '<paper_id>p</paper_id><page_number>2</page_number>' +
          '<bounding_box>1</bounding_box>'.repeat(4),
      ),
      `ViewImage(paper_id='p', page_number='2', bounding_box=['1', '1', '1', '1'])`,
    ],
    [element('GenerateAnswer', '<answer>42</answer>'), `GenerateAnswer(answer='42')`],
    [
      element('GenerateAnswer', '<answer><a>1</a><b>x</b><b>y</b></answer>'),
      `GenerateAnswer(answer={'a': '1', 'b': ['x', 'y']})`,
    ],
  ])('accepts %s', (reply, action) => expect(read(`[Action]: ${reply}`)).toBe(action));

  it.each([
    ['give up', noAction],
    [element('Search', ''), noAction],
    ['<action>GenerateAnswer</action>', noAction],
    [
      '<action><action_type>GenerateAnswer</action_type></action>',
      badParameters('GenerateAnswer', "'parameters'"),
    ],
    [
      element('GenerateAnswer', ''),
      badParameters('GenerateAnswer', 'The parameters are no object'),
    ],
    [
      element('ClassicRetrieve', '<sql>a</sql>'),
      badParameters('ClassicRetrieve', 'There is no parameter sql'),
    ],
    [
      element('GenerateAnswer', '<a>'.repeat(200)),
      badStructure('XML object', 'It is too long or nested too deeply'),
    ],
  ])('refuses %s', (reply, error) => expect(read(`[Action]: ${reply}`)).toBe(error));
});

describe('xml read tolerantly', () => {
  const read = reader('xml', 'tolerant');

  it.each([
    [
      `<action><action_type>RetrieveFromDatabase</action_type><parameters><sql>SELECT 1 WHERE a<b AND c > 4 && d</sql></parameters></action>`,
      `RetrieveFromDatabase(sql='SELECT 1 WHERE a<b AND c > 4 && d')`,
    ],
    [
      `<action>\n<action_type> classicretrieve </action_type>\n<query>q</query>\n<limit>3</limit>\n</action>`,
      `ClassicRetrieve(query='q', limit=3)`,
    ],
    [
      `<action><action_type>GenerateAnswer</action_type><parameters><answer>['a', 1]</answer></parameters></action>`,
      `GenerateAnswer(answer="['a', 1]")`,
    ],
    [
      `<action><action_type>GenerateAnswer</action_type><parameters><answer>x < y</answer></parameters>`,
      `GenerateAnswer(answer='x < y')`,
    ],
    [
      `<action><action_type>GenerateAnswer</action_type><parameters><answer><b>1</b></answer></parameters></action>`,
      `GenerateAnswer(answer={'b': '1'})`,
    ],
    [
      `<action><action_type>ViewImage</action_type><parameters><paper_id>p</paper_id><page_number>2</page_number><bounding_box>[1, 2, 3, 4]</bounding_box></parameters></action>`,
      `ViewImage(paper_id='p', page_number=2, bounding_box=[1, 2, 3, 4])`,
    ],
  ])('reads %s', (reply, action) => expect(read(reply)).toBe(action));

  it('sets no hidden field', () => {
    expect(
      read(
        '<action><action_type>ClassicRetrieve</action_type><parameters><query>q</query><thought>t</thought></parameters></action>',
      ),
    ).toBe(badParameters('ClassicRetrieve', 'There is no parameter thought'));
  });
});

describe('yaml read strictly', () => {
  const read = reader('yaml', 'strict');
  const mapping = (type: string, parameters: string) =>
    `action_type: ${type}\nparameters:\n${parameters}`;

  it.each([
    [
      `Well: ${mapping('RetrieveFromDatabase', '  sql: SELECT 1')}`,
      `RetrieveFromDatabase(sql='SELECT 1')`,
    ],
    ['RetrieveFromDatabase\nparameters:\n  sql: SELECT 1', `RetrieveFromDatabase(sql='SELECT 1')`],
    [
      mapping('RetrieveFromDatabase', '  sql: |\n    SELECT a\n    FROM b\n'),
      String.raw`RetrieveFromDatabase(sql='SELECT a\nFROM b\n')`,
    ],
    [mapping('GenerateAnswer', '  answer: Yes'), 'GenerateAnswer(answer=True)'],
    [
      mapping(
        'GenerateAnswer',
        '  answer: [off, ~, 010, 0x1F, 0b11, 1_000, 1:30, 1.0e+5, 1e5, .inf, -.INF, .nan]',
      ),
      `GenerateAnswer(answer=[False, None, 8, 31, 3, 1000, 90, 100000.0, '1e5', inf, -inf, nan])`,
    ],
    [
      mapping('GenerateAnswer', `  answer: {a: '5', "b": !!str 5, c: 2024-01-01}`),
      `GenerateAnswer(answer={'a': '5', 'b': '5', 'c': '2024-01-01'})`,
    ],
    [mapping('GenerateAnswer', '  answer: [&x [1], *x]'), 'GenerateAnswer(answer=[[1], [1]])'],
    [mapping('ClassicRetrieve', '  query: q\n  query: r'), `ClassicRetrieve(query='r', limit=5)`],
  ])('accepts %j', (reply, action) => expect(read(`[Action]: ${reply}`)).toBe(action));

  it.each([
    ['give up', noAction],
    ['action_type: Search\nparameters: {}', noAction],
    ['action_type: GenerateAnswer', badParameters('GenerateAnswer', "'parameters'")],
    [
      mapping('RetrieveFromDatabase', '  sql: SELECT a: b'),
      badStructure('YAML object', 'Nested mappings are not allowed in compact mappings'),
    ],
    [
      `\`\`\`yaml\n${mapping('GenerateAnswer', '  answer: 1')}\n\`\`\``,
      badStructure('YAML object', 'Plain value cannot start with reserved character `'),
    ],
    [
      mapping('GenerateAnswer', '  answer: !!python/object:os.system x'),
      badStructure('YAML object', 'Tags are not allowed'),
    ],
    [
      mapping('GenerateAnswer', '  answer: {[1]: 2}'),
      badStructure('YAML object', 'A list or dict cannot be a key'),
    ],
    [
      mapping('GenerateAnswer', `  answer: ${'['.repeat(9e4)}`),
      badStructure('YAML object', 'It is nested too deeply'),
    ],
    [
      mapping('GenerateAnswer', `  answer: &a [*a, *a]`),
      badStructure('YAML object', 'It is nested too deeply'),
    ],
    [
      mapping('GenerateAnswer', `  answer: ${'x'.repeat(1e5)}`),
      badStructure('YAML object', 'It is too long'),
    ],
  ])('refuses %j', (reply, error) => expect(read(`[Action]: ${reply}`)).toBe(error));
});

describe('yaml read tolerantly', () => {
  const read = reader('yaml', 'tolerant');

  it.each([
    [
      '```yaml\naction_type: GenerateAnswer\nparameters:\n  answer: Yes\n```\nDone.',
      `GenerateAnswer(answer='Yes')`,
    ],
    [
      '```yaml\naction_type: GenerateAnswer\nparameters:\n  answer: Yes ```\n',
      `GenerateAnswer(answer='Yes')`,
    ],
    [
      '[Action]:\n  action_type: RetrieveFromDatabase\n  parameters:\n    sql: SELECT a: b FROM c\n[Observation]: x',
      `RetrieveFromDatabase(sql='SELECT a: b FROM c')`,
    ],
    [
      'action_type: ClassicRetrieve\nquery: q\nlimit: 3\n\nThat is all.',
      `ClassicRetrieve(query='q', limit=3)`,
    ],
    [
      'action_type: GenerateAnswer\nparameters:\n  answer: [010, 1.10, true, 2024-01-01]',
      `GenerateAnswer(answer=['010', 1.1, True, '2024-01-01'])`,
    ],
    [
      'action_type: GenerateAnswer\nparameters:\n  answer: |\n    [Observation]: a\n    Action: b\n',
      String.raw`GenerateAnswer(answer='[Observation]: a\nAction: b\n')`,
    ],
  ])('reads %j', (reply, action) => expect(read(reply)).toBe(action));

  it('sets no hidden field', () => {
    expect(read('action_type: ClassicRetrieve\nparameters:\n  query: q\n  thought: t')).toBe(
      badParameters('ClassicRetrieve', 'There is no parameter thought'),
    );
  });
});
