import fc from '../../../support/arbitrary/fast-check.js';
import { describe, expect, it } from 'vitest';
import {
  actionFormatNames,
  protocolNames,
  actionNames,
  type Action,
} from '../../../../domain/agent/actions/action.js';
import { actionFormats } from '../../../../domain/agent/actions/action-formats.js';
import { parametersOf } from '../../../../domain/agent/actions/bind-action.js';
import { parseReply, type ReplyStyle } from '../../../../domain/agent/actions/parse-reply.js';
import { jsonDumps } from '../../../../domain/formats/python/json.js';
import {
  repr,
  pythonFromJson,
  type Json,
  type PythonValue,
} from '../../../../domain/formats/python/value.js';
import { yamlDump } from '../../../../domain/formats/yaml.js';
import { anyAction } from '../../../support/arbitrary/arbitrary-action.js';

/** Parameters that the reference system accepts but does not show to the model. */
const hidden = ['thought', 'observation_format_kwargs', 'output_fields'];

const values: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>('t', ['pdf_id'], { max_rows: 99 }, null),
  // What JSON can carry.
  fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json),
);

const styles = actionFormatNames.flatMap((format) =>
  protocolNames.map((protocol) => ({ format, protocol })),
);

describe.each(styles)('a reply of $format in $protocol', (style) => {
  it('sets no hidden field, and is told so', () => {
    fc.assert(
      fc.property(anyAction, fc.constantFrom(...hidden), values, (action, name, value) => {
        const parsed = parseWith(action, name, value, style);
        expect(parsed).toMatchObject({ kind: 'error' });
        expect(parsed.kind === 'error' && parsed.error).toContain(`There is no parameter ${name}.`);
      }),
      { numRuns: 500 },
    );
  });
});

/** The action with one parameter more, as a model would write it. */
function parseWith(
  action: Action,
  name: string,
  value: Json,
  { format, protocol }: Pick<ReplyStyle, 'format' | 'protocol'>,
): ReturnType<typeof parseReply> {
  const style = { actions: actionNames, strictness: 'tolerant', format, protocol } as const;
  const parameters = withEntry(parametersOf(action), name, pythonFromJson(value));
  const object: PythonValue = {
    kind: 'dict',
    entries: [
      [pythonFromJson('action_type'), pythonFromJson(action.kind)],
      [pythonFromJson('parameters'), parameters],
    ],
  };
  const asJson = (each: PythonValue): string => jsonDumps(each, { indent: null, ascii: false });
  const before = `[Thought]: so\n[Action]:\n`;
  switch (format) {
    case 'markdown': {
      const call = actionFormats.markdown.renderAction(action, 'tolerant');
      const more = `, ${name}=${repr(pythonFromJson(value))})`;
      return parseReply(before + call.replace(/\)$/, () => more), style);
    }
    case 'json':
      return parseReply(before + asJson(object), style);
    case 'yaml':
      return parseReply(before + yamlDump(object), style);
    case 'xml': {
      const element = actionFormats.xml.renderAction(action, 'tolerant');
      const more = `<${name}>x</${name}></parameters></action>`;
      return parseReply(before + element.replace(/<\/parameters><\/action>$/, () => more), style);
    }
    case 'tools': {
      const call = { id: 'c', name: action.kind, argumentsText: asJson(parameters) };
      return parseReply('so', style, [call]);
    }
  }
}

const withEntry = (parameters: PythonValue, name: string, value: PythonValue): PythonValue =>
  parameters.kind === 'dict'
    ? { kind: 'dict', entries: [...parameters.entries, [pythonFromJson(name), value]] }
    : parameters;
