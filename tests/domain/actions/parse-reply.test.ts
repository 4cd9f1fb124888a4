import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionNames, actionSchema, type Action } from '../../../domain/actions/action.js';
import type { Strictness } from '../../../domain/actions/strictness.js';
import { parseReply, type ParsedReply } from '../../../domain/actions/parse-reply.js';
import { repr } from '../../../domain/python/text.js';
import { pythonFromJson, type Json } from '../../../domain/python/value.js';
import { assistantMessage } from '../../../domain/actions/render-turn.js';

const parse = (reply: string, strictness: Strictness): ParsedReply =>
  parseReply(reply, { actions: actionNames, strictness });

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom(...Array.from(`'"\\\n\r\t(){}[],=:#“’é [Action]: [Observation]`)),
  }),
);

const action: fc.Arbitrary<Action> = fc.oneof(
  text.map((sql): Action => ({ kind: 'RetrieveFromDatabase', sql })),
  fc
    .tuple(text, fc.integer({ min: 1, max: 1000 }))
    .map(([query, limit]): Action => ({ kind: 'ClassicRetrieve', query, limit })),
  text.map((answer): Action => ({
    kind: 'GenerateAnswer',
    answer: { kind: 'text', text: answer },
  })),
  fc
    .oneof(
      fc.array(fc.jsonValue()),
      fc.dictionary(text, fc.jsonValue()),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    )
    // Infinity of a double in JSON is null, and a mutable JSON value is a Json.
    .map((value) => repr(pythonFromJson(JSON.parse(JSON.stringify(value)) as Json)))
    .map((source): Action => ({ kind: 'GenerateAnswer', answer: { kind: 'literal', source } })),
);

/** Without what looks like a label or is stripped at the ends. */
const thought = fc
  .stringMatching(/^[a-z][a-z .,()'"\n-]{0,40}[a-z]$/)
  .filter((value) => !/[a-z]+\s*:/.test(value));

describe.each<Strictness>(['strict', 'tolerant'])('parseReply (%s)', (strictness) => {
  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(thought, action, (why, what) => {
        const turn: ParsedReply = { kind: 'action', thought: why, action: what };
        const written = assistantMessage(turn, '');
        // Strictly, a label inside an argument ends the action; tolerantly, an escape may be LaTeX.
        fc.pre(
          strictness === 'strict'
            ? !/(action|observation)\]?:/i.test(written.slice(written.indexOf('\n[Action]:') + 10))
            : !/\\[nrt][a-z]/.test(written),
        );
        expect(parse(written, strictness)).toEqual(turn);
      }),
      { numRuns: 5000 },
    );
  });

  const scrap = fc.constantFrom(
    '[Thought]:',
    '[Action]:',
    '[Observation]:',
    '**Action**',
    '## Action\n',
    'Action:',
    '<think>',
    '</think>',
    'GenerateAnswer(',
    'ClassicRetrieve (',
    'RetrieveFromDatabase(sql=',
    'answer=',
    'limit=',
    ')',
    '(',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '"""',
    '“',
    '’',
    '\\',
    '\\n',
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
  );

  it('makes an action or an error of any text, and says the same of it twice', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(scrap, { maxLength: 60 }).map((parts) => parts.join('')),
        ),
        (reply) => {
          const parsed = parse(reply, strictness);
          if (parsed.kind === 'action') actionSchema.parse(parsed.action);
          else expect(parsed.error).not.toBe('');
          expect(parse(reply, strictness)).toEqual(parsed);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('makes an action or an error of a turn that was tampered with', () => {
    fc.assert(
      fc.property(thought, action, fc.nat(), fc.nat(8), scrap, (why, what, place, cut, extra) => {
        const written = assistantMessage({ kind: 'action', thought: why, action: what }, '');
        const at = place % written.length;
        const parsed = parse(written.slice(0, at) + extra + written.slice(at + cut), strictness);
        expect(['action', 'error']).toContain(parsed.kind);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['blanks', ' '],
    ['line ends', '\n'],
    ['brackets', '['],
    ['labels', '[Action]: '],
    ['thoughts', 'Thought: '],
    ['open strings', '[Action]: GenerateAnswer(answer="'],
    ['curly quotes', 'GenerateAnswer(“'],
    ['apostrophes', 'GenerateAnswer(‘’'],
    ['comments', 'GenerateAnswer(#\n'],
    ['backslashes', '\\'],
    ['digits', 'GenerateAnswer(1'],
    ['open thinking', '<think>'],
  ])('comes to an end on a million characters of %s', (_, piece) => {
    const reply = `[Thought]: a\n[Action]: GenerateAnswer(answer=(${piece.repeat(1e6 / piece.length)}`;
    expect(parse(reply, strictness).kind).toBe('error');
  });
});

it('an action survives JSON', () => {
  fc.assert(
    fc.property(action, (value) => {
      expect(actionSchema.parse(JSON.parse(JSON.stringify(value)))).toEqual(value);
    }),
  );
});
