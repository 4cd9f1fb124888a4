import { describe, expect, it } from 'vitest';
import { parseReply, assistantMessage } from '../../../../domain/agent/actions/parse-reply.js';

const actions = ['RetrieveFromDatabase', 'ClassicRetrieve', 'GenerateAnswer'] as const;
const style = { format: 'markdown', protocol: 'react', strictness: 'tolerant' } as const;

const tolerantly = (reply: string) => parseReply(reply, { actions, ...style });

/** What history shows of the turn: thought and action. */
function shown(reply: string): string {
  const parsed = tolerantly(reply);
  return parsed.kind === 'error' ? `! ${parsed.error}` : assistantMessage(parsed, reply, style);
}

const turn = (thought: string, action: string) => `[Thought]: ${thought}\n[Action]:\n${action}`;
const one = 'GenerateAnswer(answer=1)';

describe('a reply in tolerant mode', () => {
  it.each([
    `[Thought]: a\n[Action]: ${one}`,
    `[Thought]: a\n[Action]:\n${one}`,
    `[Thought] a\n[Action] ${one}`,
    `Thought: a\nAction: ${one}`,
    `thought： a\naction： ${one}`,
    `**Thought**: a\n**Action**: ${one}`,
    `**Thought:** a\n**Action:** ${one}`,
    `__Thought__ a\n__Action__ ${one}`,
    `## Thought\na\n\n## Action\n${one}`,
    `### Thought: a\n### Action: ${one}`,
    `### **Thought**\na\n### **Action**\n${one}`,
    `[Thinking 1]: a\n[Action 1]: ${one}`,
    `[Thought]: a [Action]: ${one}`,
  ])('takes the labels of %j', (reply) => expect(shown(reply)).toBe(turn('a', one)));

  it.each([
    [`[Thought]: The Action: was good\n[Action]: ${one}`, 'The Action: was good'],
    [`<think>so: Action: no</think>\n[Thought]: a\n[Action]: ${one}`, 'a'],
    [
      `[Thought]: Not Action: GenerateAnswer(answer=2) yet.\n[Action]: ${one}`,
      'Not Action: GenerateAnswer(answer=2) yet.',
    ],
    [
      `[Thought]: I could use GenerateAnswer(answer=2).\n[Action]: ${one}\nThen GenerateAnswer(answer=3).`,
      'I could use GenerateAnswer(answer=2).',
    ],
    [`[Thought]: a\n[Action]: GenerateAnswer(answer=2)\n[Action]: ${one}`, undefined],
  ])('takes the last action of %j', (reply, thought) => {
    expect(tolerantly(reply)).toMatchObject({
      kind: 'action',
      ...(thought !== undefined && { thought }),
      action: { kind: 'GenerateAnswer', answer: { kind: 'literal', source: '1' } },
    });
  });

  it.each([
    `[Action]: ${one}\n[Observation]: 7\n[Thought]: b\n[Action]: GenerateAnswer(answer=7)`,
    `[Action]: ${one}\n[Thought]: b\n[Action]: GenerateAnswer(answer=7)`,
    `${one}\nObservation: 7\n[Action]: GenerateAnswer(answer=7)`,
  ])('takes the first of two turns at once: %j', (reply) => {
    expect(shown(reply)).toBe(turn('', one));
  });

  it('does not go on with an imagined turn when the action itself is broken', () => {
    const reply = `[Action]: GenerateAnswer(answer=)\n[Observation]: 7\n[Action]: ${one}`;
    expect(shown(reply)).toBe(
      String.raw`! Failed to parse the parameters for action GenerateAnswer from the response. unexpected ")", at ")\n[Observation]: 7\n[".`,
    );
  });

  it.each([
    [`[Thought]: a\n[Action]:\n\`\`\`python\n${one}\n\`\`\``, 'a'],
    [`[Thought]: a\n[Action]: \`${one}\``, 'a'],
    [`[Thought]: a\n[Action]: 1. ${one}`, 'a'],
    [`[Thought]: a\n[Action]: The action is ${one}.`, 'a'],
    [`[Thought]: a\n[Action]: tools.${one}`, 'a'],
    [`[Thought]: a\n[Action]: ${one};`, 'a'],
    [`[Thought]: a\n[Action]: ${one}\nThis ends the task.`, 'a'],
    [`[Thought]: a\n[Action]: ${one.replace('G', 'g')}`, 'a'],
    [`[Thought]: a\n${one}`, 'a'],
    [`I know it.\n\n\`\`\`\n${one}\n\`\`\``, 'I know it.'],
    [`I know it.\n- ${one}`, 'I know it.'],
    [one, ''],
  ])('finds the action in %j', (reply, thought) => expect(shown(reply)).toBe(turn(thought, one)));

  it.each([
    [
      `RetrieveFromDatabase(sql="SELECT a\nFROM b")`,
      String.raw`RetrieveFromDatabase(sql='SELECT a\nFROM b')`,
    ],
    [`RetrieveFromDatabase('SELECT 1')`, `RetrieveFromDatabase(sql='SELECT 1')`],
    [`ClassicRetrieve('q', 3)`, `ClassicRetrieve(query='q', limit=3)`],
    [`ClassicRetrieve('q', limit="3")`, `ClassicRetrieve(query='q', limit=3)`],
    [`ClassicRetrieve(query: 'q', limit: 3.0)`, `ClassicRetrieve(query='q', limit=3)`],
    [`GenerateAnswer([1, 2])`, `GenerateAnswer(answer=[1, 2])`],
    [
      `GenerateAnswer(answer={"a": null, "b": [true, false], "c": NaN})`,
      `GenerateAnswer(answer={'a': None, 'b': [True, False], 'c': nan})`,
    ],
    [`GenerateAnswer(answer=“it’s so”)`, `GenerateAnswer(answer='it’s so')`],
    [`GenerateAnswer(answer={‘a’: ‘it’s’})`, `GenerateAnswer(answer={'a': 'it’s'})`],
    [
      String.raw`GenerateAnswer(answer='\alpha + \beta \neq \frac{1}{2}\n$\theta$')`,
      String.raw`GenerateAnswer(answer='\\alpha + \\beta \\neq \\frac{1}{2}\n$\\theta$')`,
    ],
    [
      `GenerateAnswer(answer='see [Observation]: x')`,
      `GenerateAnswer(answer='see [Observation]: x')`,
    ],
    [
      `GenerateAnswer(answer='write [Action]: ClassicRetrieve(query="q")')`,
      `GenerateAnswer(answer='write [Action]: ClassicRetrieve(query="q")')`,
    ],
  ])('reads %j', (action, expected) => {
    expect(shown(`[Thought]: a\n[Action]: ${action}`)).toBe(turn('a', expected));
  });

  it.each([
    ['GenerateAnswer', '()', 'The required parameter answer is missing'],
    ['ClassicRetrieve', '(limit=3)', 'The required parameter query is missing'],
    ['RetrieveFromDatabase', `(sql='a', thought='t')`, 'There is no parameter thought'],
    [
      'RetrieveFromDatabase',
      `(sql='a', observation_format_kwargs={})`,
      'There is no parameter observation_format_kwargs',
    ],
    ['RetrieveFromDatabase', `('a', sql='b')`, 'The parameter sql is given twice'],
    ['RetrieveFromDatabase', `('a', 'b')`, 'There are more arguments than parameters'],
    ['RetrieveFromDatabase', `(sql=['a'])`, `The parameter sql must be a text, not ['a']`],
    ['RetrieveFromDatabase', `(sql=' ')`, 'The required parameter sql is empty'],
    ['GenerateAnswer', `(answer='it's')`, `unexpected "s", at "s')"`],
    ['GenerateAnswer', `(answer='abc`, `a string is not closed, at "'abc"`],
    ['GenerateAnswer', `(answer=1`, 'the text ends too early'],
  ])('tells what is wrong with %s%s', (name, rest, reason) => {
    expect(shown(`[Thought]: a\n[Action]: ${name}${rest}`)).toBe(
      `! Failed to parse the parameters for action ${name} from the response. ${reason}.`,
    );
  });

  it('leaves it to the search to refuse a limit that is no positive integer', () => {
    expect(shown(`ClassicRetrieve('q', 0)`)).toBe(turn('', `ClassicRetrieve(query='q', limit=0)`));
  });

  it.each([
    ['I do not know.', 'It names no action'],
    ['[Thought]: a\n[Action]: give up', 'No action follows its label'],
    ['[Action]: ViewImage(paper_id="p")', 'There is no action ViewImage'],
  ])('tells why there is no action in %j', (reply, reason) => {
    expect(shown(reply)).toBe(
      `! Failed to parse a valid action from the response. ${reason}. Please check the specification for these actions ['RetrieveFromDatabase', 'ClassicRetrieve', 'GenerateAnswer'].`,
    );
  });

  it('knows only the actions it is given', () => {
    const parsed = parseReply(`[Action]: RetrieveFromDatabase(sql='a')`, {
      actions: ['GenerateAnswer'],
      ...style,
    });
    expect(parsed.kind === 'error' && parsed.error).toContain(
      'There is no action RetrieveFromDatabase.',
    );
  });
});
