import {
  actionOfObject,
  actionOfObjectLeniently,
  objectOfAction,
  objectOfSpec,
} from './action-object.js';
import type { ActionFormat } from './action-format.js';
import { describeInvalid, noActionError, structureError } from './parse-error.js';
import { jsonDumps, parseJson } from '../../formats/python/json.js';
import { parseLeadingLiteral } from '../../formats/python/literal.js';

/** An action as a JSON object with `action_type` and `parameters`. */
export const jsonFormat: ActionFormat = {
  title: 'JSON',

  renderSyntax: (spec) => jsonDumps(objectOfSpec(spec), { indent: 4, ascii: false }),

  renderAction: (action, strictness) =>
    jsonDumps(objectOfAction(action), { indent: 4, ascii: strictness === 'strict' }),

  renderExample: (action) => jsonDumps(objectOfAction(action), { indent: null, ascii: false }),

  readStrictly: (text, actions) => {
    const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')];
    if (start === -1 || end < start) return { kind: 'error', error: noActionError(actions) };
    const object = text.slice(start, end + 1);
    const parsed = parseJson(object);
    if (parsed.kind === 'invalid') {
      const reason = describeInvalid(parsed, object);
      return { kind: 'error', error: structureError('JSON dict', reason) };
    }
    return actionOfObject(parsed.value, actions);
  },

  // Some models write their thought as the first key of the object.
  opening: () =>
    '\\{\\s{0,99}["\'\\u201c\\u2018]?(?:action_type|action|name|tool|parameters|arguments|thought|reasoning)\\b',

  // The lenient Python dialect accepts JSON and the near-JSON that models write.
  readLeniently: (text, start, actions) => {
    const parsed = parseLeadingLiteral(text, start, 'lenient');
    return parsed.kind === 'parsed'
      ? { written: actionOfObjectLeniently(parsed.value, actions), end: parsed.end }
      : {
          written: {
            kind: 'error',
            error: structureError('JSON dict', describeInvalid(parsed, text)),
          },
          end: start + 1,
        };
  },
};
