import { describe, expect, it } from 'vitest';
import {
  actionNames,
  type ProtocolName,
  type TextFormatName,
  type Strictness,
} from '../../../../domain/agent/actions/action.js';
import { actionFormats } from '../../../../domain/agent/actions/action-formats.js';
import { parseErrorKind } from '../../../../domain/agent/actions/parse-error.js';
import { parseReply } from '../../../../domain/agent/actions/parse-reply.js';

/** `thought | call`, the call alone where there is no thought, or the kind of error behind a `!`. */
function shown(
  reply: string,
  strictness: Strictness,
  format: TextFormatName = 'markdown',
  protocol: ProtocolName = 'react',
): string {
  const parsed = parseReply(reply, { actions: actionNames, strictness, format, protocol });
  if (parsed.kind === 'error') return `! ${parseErrorKind(parsed.error)}`;
  const call = actionFormats.markdown.renderAction(parsed.action, 'strict');
  return parsed.thought === '' ? call : `${parsed.thought} | ${call}`;
}

/** What was written, what the reference makes of it, and what we make of it; nothing where that is the same. */
type Row = [reply: string, strictly: string, tolerantly?: string];

const f = (given: string): string => `RetrieveFromDatabase(${given})`;
const g = (given: string): string => `GenerateAnswer(${given})`;
const one = g('answer=1');
const bad = '! parameters';
const none = '! no-action';

// Each row: a reply, its reading in strict mode as in the reference system, and its reading in tolerant mode.

describe('an action behind its label', () => {
  it.each<Row>([
    [f(`sql="SELECT a FROM b WHERE x='y';"`), f(`sql="SELECT a FROM b WHERE x='y';"`)],
    [f(`sql="SELECT a\nFROM b"`), bad, f(String.raw`sql='SELECT a\nFROM b'`)],
    [
      f(`sql="""SELECT a\nFROM b WHERE e="f" """`),
      f(String.raw`sql='SELECT a\nFROM b WHERE e="f" '`),
    ],
    [f(`\n  sql='''SELECT a\nFROM b'''\n`), f(String.raw`sql='SELECT a\nFROM b'`)],
    [f(`'SELECT 1'`), `SELECT 1 | ${f(`sql=''`)}`, f(`sql='SELECT 1'`)],
    [g('[1,2]'), `[1, 2] | ${g(`answer=''`)}`, g('answer=[1, 2]')],
    [
      `ClassicRetrieve('q', 3)`,
      `q | ClassicRetrieve(query='', limit=5)`,
      `ClassicRetrieve(query='q', limit=3)`,
    ],
    [f(`sql='a', thought='t'`), `t | ${f(`sql='a'`)}`, bad],
    [f(`sql='a', observation_format_kwargs={'max_rows': 99}`), f(`sql='a'`), bad],
    [f(`sql='SELECT 1', limit=5`), bad],
    [`${f(`sql='SELECT 1'`)}\nSome trailing text`, bad, f(`sql='SELECT 1'`)],
    [`${f(`sql='SELECT 1'`)} # comment`, f(`sql='SELECT 1'`)],
    [`${f(`sql='SELECT 1'`)};`, bad, f(`sql='SELECT 1'`)],
    [`${f(`sql='a'`)}\n[Observation]: b\n[Action]: ${one}`, f(`sql='a'`)],
    [g(`answer={'a':[1,2],'b':None,'c':True}`), g(`answer={'a': [1, 2], 'b': None, 'c': True}`)],
    [g('answer={"a": null}'), bad, g(`answer={'a': None}`)],
    [g('answer=true'), bad, g('answer=True')],
    [g('answer=nan'), bad, g('answer=nan')],
    [g('answer=0.1+0.2'), bad],
    [g(`answer='a'+'b'`), bad],
    [g(`answer=f'{x}'`), bad],
    [g('answer=dict(a=1)'), bad],
    [g('answer=[x for x in []]'), bad],
    [g(`answer='a' 'b'`), g(`answer='ab'`)],
    [g('answer=-0.5'), g('answer=-0.5')],
    [g('answer=1e5'), g('answer=100000.0')],
    [g('answer=1_000'), g('answer=1000')],
    [g('answer=(1,)'), g('answer=(1,)')],
    [g('answer={1,2}'), g('answer={1, 2}')],
    [g('answer=set()'), g('answer=set()')],
    [g(`answer=b'x'`), g(`answer=b'x'`)],
    [g('answer=...'), g('answer=Ellipsis')],
    [g('answer=1+2j'), g('answer=(1+2j)')],
    [g(String.raw`answer=r'\alpha'`), g(String.raw`answer='\\alpha'`)],
    [g(`answer='it's'`), bad],
    [g(String.raw`answer="It's \"x\""`), g(String.raw`answer='It\'s "x"'`)],
    [
      g(String.raw`answer='\alpha \beta'`),
      g(String.raw`answer='\x07lpha \x08eta'`),
      g(String.raw`answer='\\alpha \\beta'`),
    ],
    [g(`answer='see [Observation]: x'`), bad, g(`answer='see [Observation]: x'`)],
    [g('answer=1, answer=2'), g('answer=2')],
    [`\`\`\`python\n${one}\n\`\`\``, bad, one],
    [`\`${one}\``, none, one],
    [`1. ${one}`, none, one],
    [`The action is ${one}`, none, one],
    [`generateAnswer(answer=1)`, none, one],
    [`GenerateAnswer (answer=1)`, one],
    [`a.${one}`, none, one],
    [`${one}.x`, bad, one],
  ])('%j', (action, strictly, tolerantly = strictly) => {
    expect(shown(`[Action]: ${action}`, 'strict')).toBe(strictly);
    expect(shown(`[Action]: ${action}`, 'tolerant')).toBe(tolerantly);
  });
});

describe('a whole reply', () => {
  it.each<Row>([
    [
      `[Thought]: t\n[Action]: ${f(`sql='a'`)}\n[Action]: ${one}`,
      bad,
      `t\n[Action]: ${f(`sql='a'`)} | ${one}`,
    ],
    [`[Thought]: The Action: was…\n[Action]: ${one}`, none, `The Action: was… | ${one}`],
    [`<think>… Action: no</think>\n[Thought]: a\n[Action]: ${one}`, none, `a | ${one}`],
    [one, one],
    [`[Thought]: foo\n${one}`, bad, `foo | ${one}`],
    [`**Thought**: a\n**Action**: ${one}`, `a | ${one}`],
    [`Thought: a\nAction: ${one}`, `a | ${one}`],
    [`### Action: ${one}`, one],
    [`**Action:** ${one}`, none, one],
    [`[Action] ${one}`, none, one],
  ])('%j', (reply, strictly, tolerantly = strictly) => {
    expect(shown(reply, 'strict')).toBe(strictly);
    expect(shown(reply, 'tolerant')).toBe(tolerantly);
  });
});

const json = (type: string, parameters: string): string =>
  `{"action_type": "${type}", "parameters": ${parameters}}`;
const xml = (type: string, parameters: string): string =>
  `<action><action_type>${type}</action_type><parameters>${parameters}</parameters></action>`;
const yaml = (type: string, parameters: string): string =>
  `action_type: ${type}\nparameters:\n${parameters}`;

describe('an action in another format', () => {
  it.each<[TextFormatName, ...Row]>([
    ['json', `Well: ${json('GenerateAnswer', '{"answer": 1}')} so.`, one],
    [
      'json',
      `${json('GenerateAnswer', '{"answer": 1}')} ${json('GenerateAnswer', '{"answer": 2}')}`,
      '! json',
      one,
    ],
    ['json', json('RetrieveFromDatabase', '{"sql": "a\nb"}'), '! json', f(String.raw`sql='a\nb'`)],
    ['json', `{'action_type': 'GenerateAnswer', 'parameters': {'answer': 1}}`, '! json', one],
    ['json', '[1, 2]', none],
    ['json', json('GenerateAnswer', '{}'), g(`answer=''`), bad],
    [
      'xml',
      xml('RetrieveFromDatabase', '<sql>SELECT 1 WHERE a < 3 AND b > 4</sql>'),
      f(`sql='SELECT 1 WHERE a'`),
      f(`sql='SELECT 1 WHERE a < 3 AND b > 4'`),
    ],
    ['xml', xml('RetrieveFromDatabase', '<sql>a &lt; 3</sql>'), f(`sql='a < 3'`)],
    [
      'xml',
      xml('ClassicRetrieve', '<query>q</query><limit>3</limit>'),
      `ClassicRetrieve(query='q', limit='3')`,
      `ClassicRetrieve(query='q', limit=3)`,
    ],
    [
      'xml',
      xml(
        'ViewImage',
        `<paper_id>p</paper_id><page_number>2</page_number>${'<bounding_box>7</bounding_box>'.repeat(4)}`,
      ),
      `ViewImage(paper_id='p', page_number='2', bounding_box=['7', '7', '7', '7'])`,
      `ViewImage(paper_id='p', page_number=2, bounding_box=[7, 7, 7, 7])`,
    ],
    ['xml', xml('GenerateAnswer', '<answer>1</answer>'), g(`answer='1'`)],
    ['xml', xml('GenerateAnswer', '<answer>a</answer><answer>b</answer>'), g(`answer=['a', 'b']`)],
    ['xml', xml('GenerateAnswer', '<answer><k>1</k></answer>'), g(`answer={'k': '1'}`)],
    ['yaml', yaml('GenerateAnswer', '  answer: Yes'), g('answer=True'), g(`answer='Yes'`)],
    ['yaml', yaml('RetrieveFromDatabase', '  sql: SELECT a: b'), '! yaml', f(`sql='SELECT a: b'`)],
    ['yaml', `\`\`\`yaml\n${yaml('GenerateAnswer', '  answer: 1')}\n\`\`\``, '! yaml', one],
    // The key `action_type` may be left out.
    ['yaml', 'RetrieveFromDatabase\nparameters:\n  sql: a', f(`sql='a'`)],
  ])('%s %j', (format, action, strictly, tolerantly = strictly) => {
    expect(shown(`[Action]: ${action}`, 'strict', format)).toBe(strictly);
    expect(shown(`[Action]: ${action}`, 'tolerant', format)).toBe(tolerantly);
  });
});

// The rows on answers in a code fence are in fenced-text.test.ts.
describe('an action in a code fence', () => {
  const answer = json('GenerateAnswer', '{"answer": 1}');

  it.each<Row>([
    [`So:\n\`\`\`json\n${answer}\n\`\`\``, one, `So: | ${one}`],
    [`\`\`\`json\n${answer}`, one],
    [
      `\`\`\`json\n${json('GenerateAnswer', '{"answer": "```x```"}')}\n\`\`\``,
      none,
      g("answer='```x```'"),
    ],
  ])('%j', (reply, strictly, tolerantly = strictly) => {
    expect(shown(reply, 'strict', 'json', 'code_block')).toBe(strictly);
    expect(shown(reply, 'tolerant', 'json', 'code_block')).toBe(tolerantly);
  });
});

// The reference system fills in missing required parameters, and accepts hidden ones.
describe('a parameter', () => {
  const search = {
    bare: `query='q', collection_name='c', table_name='t', column_name='n'`,
    shown: `query='q', collection_name='c', table_name='t', column_name='n', filter='', limit=5`,
  };
  const empty = `query='', collection_name='', table_name='', column_name='', filter='', limit=5`;

  it.each<Row>([
    [f(''), f(`sql=''`), bad],
    [g(''), g(`answer=''`), bad],
    ['ClassicRetrieve()', `ClassicRetrieve(query='', limit=5)`, bad],
    ['RetrieveFromVectorstore()', `RetrieveFromVectorstore(${empty})`, bad],
    ['CalculateExpr()', `CalculateExpr(expr='')`, bad],
    ['ViewImage()', `ViewImage(paper_id='', page_number=1, bounding_box=[])`, bad],
    [
      `RetrieveFromVectorstore(${search.bare}, output_fields=['pdf_id'])`,
      `RetrieveFromVectorstore(${search.shown})`,
      bad,
    ],
  ])('%j', (action, strictly, tolerantly = strictly) => {
    expect(shown(`[Action]: ${action}`, 'strict')).toBe(strictly);
    expect(shown(`[Action]: ${action}`, 'tolerant')).toBe(tolerantly);
  });

  it('that is hidden reaches the action, last by position too', () => {
    const style = { actions: actionNames, strictness: 'strict', format: 'markdown' } as const;
    const fields = { kind: 'literal', source: "['pdf_id']" };
    for (const given of [
      `${search.bare}, output_fields=['pdf_id']`,
      `'t', {}, 'q', 'c', 't', 'n', '', 5, ['pdf_id']`,
    ]) {
      const reply = `[Action]: RetrieveFromVectorstore(${given})`;
      expect(parseReply(reply, { ...style, protocol: 'react' })).toMatchObject({
        action: { query: 'q', output_fields: fields },
      });
    }
  });
});
