import { describe, expect, it } from 'vitest';
import { parseReply, assistantMessage } from '../../../../domain/agent/actions/parse-reply.js';

const actions = ['RetrieveFromDatabase', 'ClassicRetrieve', 'GenerateAnswer'] as const;
const style = { format: 'markdown', protocol: 'react', strictness: 'strict' } as const;

const strictly = (reply: string) => parseReply(reply, { actions, ...style });

/** What history shows of the turn: thought and action. */
function shown(reply: string): string {
  const parsed = strictly(reply);
  return parsed.kind === 'error' ? `! ${parsed.error}` : assistantMessage(parsed, reply, style);
}

const turn = (thought: string, action: string) => `[Thought]: ${thought}\n[Action]:\n${action}`;
const noAction =
  "! Failed to parse a valid action from the response. Please check the specification for these actions ['RetrieveFromDatabase', 'ClassicRetrieve', 'GenerateAnswer'].";
const badCall = (name: string, reason: string) =>
  `! Failed to parse the parameters for action ${name} from the response. ${reason}.`;

describe('an action in strict mode, reasons included', () => {
  it.each([
    [
      `RetrieveFromDatabase(sql="SELECT a FROM b WHERE x='y';")`,
      `RetrieveFromDatabase(sql="SELECT a FROM b WHERE x='y';")`,
    ],
    [
      `RetrieveFromDatabase(sql="""SELECT a\nFROM b WHERE e="f" """)`,
      String.raw`RetrieveFromDatabase(sql='SELECT a\nFROM b WHERE e="f" ')`,
    ],
    [
      `RetrieveFromDatabase(\n  sql='''SELECT a\nFROM b'''\n)`,
      String.raw`RetrieveFromDatabase(sql='SELECT a\nFROM b')`,
    ],
    [`ClassicRetrieve(query='q', limit=3)`, `ClassicRetrieve(query='q', limit=3)`],
    [`ClassicRetrieve(query='q')`, `ClassicRetrieve(query='q', limit=5)`],
    [`ClassicRetrieve(query='q', limit='3')`, `ClassicRetrieve(query='q', limit='3')`],
    [`RetrieveFromDatabase(sql='SELECT 1') # for a start`, `RetrieveFromDatabase(sql='SELECT 1')`],
    [
      `RetrieveFromDatabase(sql='SELECT 1')\n[Observation]: rows\n[Action]: GenerateAnswer(answer=1)`,
      `RetrieveFromDatabase(sql='SELECT 1')`,
    ],
    [
      `GenerateAnswer(answer={'a':[1,2],'b':None,'c':True})`,
      `GenerateAnswer(answer={'a': [1, 2], 'b': None, 'c': True})`,
    ],
    [`GenerateAnswer(answer='a' 'b')`, `GenerateAnswer(answer='ab')`],
    [`GenerateAnswer(answer=-0.5)`, `GenerateAnswer(answer=-0.5)`],
    [`GenerateAnswer(answer=1e5)`, `GenerateAnswer(answer=100000.0)`],
    [`GenerateAnswer(answer=1_000)`, `GenerateAnswer(answer=1000)`],
    [`GenerateAnswer(answer=(1,))`, `GenerateAnswer(answer=(1,))`],
    [`GenerateAnswer(answer={1,2})`, `GenerateAnswer(answer={1, 2})`],
    [`GenerateAnswer(answer=set())`, `GenerateAnswer(answer=set())`],
    [`GenerateAnswer(answer=b'x')`, `GenerateAnswer(answer=b'x')`],
    [`GenerateAnswer(answer=...)`, `GenerateAnswer(answer=Ellipsis)`],
    [`GenerateAnswer(answer=1+2j)`, `GenerateAnswer(answer=(1+2j))`],
    [String.raw`GenerateAnswer(answer=r'\alpha')`, String.raw`GenerateAnswer(answer='\\alpha')`],
    [
      String.raw`GenerateAnswer(answer="It's \"x\"")`,
      String.raw`GenerateAnswer(answer='It\'s "x"')`,
    ],
    [
      String.raw`GenerateAnswer(answer='\alpha \beta')`,
      String.raw`GenerateAnswer(answer='\x07lpha \x08eta')`,
    ],
    [`GenerateAnswer(answer=1, answer=2)`, `GenerateAnswer(answer=2)`],
    [`GenerateAnswer (answer=1)`, `GenerateAnswer(answer=1)`],
    [`GenerateAnswer()`, `GenerateAnswer(answer='')`],
  ])('accepts %j', (action, expected) => {
    expect(shown(`[Thought]: why\n[Action]: ${action}`)).toBe(turn('why', expected));
  });

  it.each([
    [`RetrieveFromDatabase('SELECT 1')`, 'SELECT 1', `RetrieveFromDatabase(sql='')`],
    [`GenerateAnswer([1,2])`, '[1, 2]', `GenerateAnswer(answer='')`],
    [`ClassicRetrieve('q', 3)`, 'q', `ClassicRetrieve(query='', limit=5)`],
    [`RetrieveFromDatabase(sql='a', thought='t')`, 't', `RetrieveFromDatabase(sql='a')`],
    [`RetrieveFromDatabase('t', {}, 'a')`, 't', `RetrieveFromDatabase(sql='a')`],
    [
      `RetrieveFromDatabase(sql='a', observation_format_kwargs={'max_rows': 99})`,
      '',
      `RetrieveFromDatabase(sql='a')`,
    ],
  ])('lets %s reach the hidden fields', (action, thought, expected) => {
    expect(shown(`[Action]: ${action}`)).toBe(turn(thought, expected));
  });

  it('prefers a thought that is labelled to one among the arguments', () => {
    expect(shown(`[Thought]: a\n[Action]: GenerateAnswer('b')`)).toBe(
      turn('a', `GenerateAnswer(answer='')`),
    );
  });

  it.each([
    [
      'RetrieveFromDatabase',
      `(sql="SELECT a\nFROM b")`,
      String.raw`a string is not closed, at "\"SELECT a\nFROM b\")"`,
    ],
    ['RetrieveFromDatabase', `(sql='SELECT 1', limit=5)`, 'There is no parameter limit'],
    ['RetrieveFromDatabase', `('t', thought='t')`, 'The parameter thought is given twice'],
    ['RetrieveFromDatabase', `(1, 2, 3, 4)`, 'There are more arguments than parameters'],
    [
      'RetrieveFromDatabase',
      `(sql='SELECT 1')\nSome trailing text`,
      'unexpected "S", at "Some trailing text"',
    ],
    ['RetrieveFromDatabase', `(sql='SELECT 1');`, 'unexpected ";", at ";"'],
    ['RetrieveFromDatabase', `(sql='SELECT 1').x`, 'unexpected ".", at ".x"'],
    [
      'RetrieveFromDatabase',
      `(sql='SELECT 1')\n[Action]: GenerateAnswer(answer=1)`,
      'unexpected "[", at "[Action]: GenerateAn"',
    ],
    ['GenerateAnswer', `(answer={"a": null})`, 'the name null is not a literal, at "null})"'],
    ['GenerateAnswer', `(answer=true)`, 'the name true is not a literal, at "true)"'],
    ['GenerateAnswer', `(answer=nan)`, 'the name nan is not a literal, at "nan)"'],
    ['GenerateAnswer', `(answer=0.1+0.2)`, 'a literal is not calculated, at "+0.2)"'],
    ['GenerateAnswer', `(answer='a'+'b')`, `a literal is not calculated, at "+'b')"`],
    ['GenerateAnswer', `(answer=f'{x}')`, `the name f is not a literal, at "f'{x}')"`],
    ['GenerateAnswer', `(answer=dict(a=1))`, 'the name dict is not a literal, at "dict(a=1))"'],
    [
      'GenerateAnswer',
      `(answer=[x for x in []])`,
      'the name x is not a literal, at "x for x in []])"',
    ],
    ['GenerateAnswer', `(answer='it's')`, `unexpected "s", at "s')"`],
    ['GenerateAnswer', `(answer='see [Observation]: x')`, `a string is not closed, at "'see"`],
  ])('refuses the parameters of %s%s', (name, rest, reason) => {
    expect(shown(`[Action]: ${name}${rest}`)).toBe(badCall(name, reason));
  });

  it('refuses a call in a code fence', () => {
    expect(shown('[Action]: ```python\nGenerateAnswer(answer=1)\n```')).toBe(
      badCall('GenerateAnswer', 'unexpected "`", at "```python\\nGenerateAn"'),
    );
  });

  it('refuses a call behind a thought without an action label', () => {
    expect(shown('[Thought]: foo\nGenerateAnswer(answer=1)')).toBe(
      badCall('GenerateAnswer', 'unexpected "[", at "[Thought]: foo\\nGener"'),
    );
  });

  it.each([
    '[Thought]: The Action: was good\n[Action]: GenerateAnswer(answer=1)',
    '<think>so: Action: no</think>\n[Thought]: a\n[Action]: GenerateAnswer(answer=1)',
    '[Action]: `GenerateAnswer(answer=1)`',
    '**Action:** GenerateAnswer(answer=1)',
    '[Action] GenerateAnswer(answer=1)',
    '[Action]: 1. GenerateAnswer(answer=1)',
    '[Action]: The action is GenerateAnswer(answer=1)',
    '[Action]: generateAnswer(answer=1)',
    '[Action]: a.GenerateAnswer(answer=1)',
    '[Action]: ViewImage(paper_id="a")',
    '',
    'I do not know.',
  ])('finds no action in %j', (reply) => expect(shown(reply)).toBe(noAction));

  it.each([
    ['GenerateAnswer(answer=1)', ''],
    ['**Thought**: a\n**Action**: GenerateAnswer(answer=1)', 'a'],
    ['Thought: a\nAction: GenerateAnswer(answer=1)', 'a'],
    ['### Thought: a\n### Action: GenerateAnswer(answer=1)', 'a\n###'],
    ['[thinking]: a [ACTION]: GenerateAnswer(answer=1)', 'a'],
    ['\u0085 [Think]:\x1c a \n\n[Action]:\n\n GenerateAnswer(answer=1) ', 'a'],
    ['深Action: x [Action]: GenerateAnswer(answer=1)', ''],
  ])('takes the labels of %j', (reply, thought) => {
    expect(shown(reply)).toBe(turn(thought, 'GenerateAnswer(answer=1)'));
  });
});
