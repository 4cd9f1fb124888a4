import { jsonIn } from '../formats/json.js';
import { jsonDumps } from '../formats/python/json.js';
import type { OwnOutcome, PluginActionSpec } from './plugin.js';
import {
  anyValueRepr,
  pythonOfAnyValue,
  type AnyValue,
  type PluginAction,
} from './actions/action.js';
import { truncateAnswer } from './observations/observation.js';
import { failed, refused, type Observed, type Refused } from './observations/tool-outcome.js';

type PluginArguments =
  { readonly kind: 'arguments'; readonly values: Readonly<Record<string, unknown>> } | Refused;

/** The arguments of an action as its function gets them: JSON values of the types of its parameters. */
export function argumentsOf(
  { fields }: PluginAction,
  { parameters }: Pick<PluginActionSpec, 'parameters'>,
): PluginArguments {
  const values: Record<string, unknown> = {};
  for (const { name, value } of fields) {
    const type = parameters.find((parameter) => parameter.name === name)?.type ?? 'Any';
    const { article, read } = readers[type];
    const json = read(value);
    if (json === undefined) {
      const message = `The parameter ${name} must be ${article}, not ${anyValueRepr(value)}.`;
      return refused('arguments', message);
    }
    values[name] = json;
  }
  return { kind: 'arguments', values };
}

/** Undefined for a value of another type. */
type Reader = (value: AnyValue) => unknown;

const readers: Readonly<
  Record<
    PluginActionSpec['parameters'][number]['type'],
    { readonly article: string; readonly read: Reader }
  >
> = {
  str: { article: 'a text', read: (value) => (value.kind === 'text' ? value.text : undefined) },
  int: {
    article: 'a whole number',
    read: (value) => {
      const number = numberOf(value);
      return Number.isSafeInteger(number) ? number : undefined;
    },
  },
  float: { article: 'a number', read: numberOf },
  bool: {
    article: 'true or false',
    read: (value) => {
      const json = jsonOf(value);
      if (typeof json === 'boolean') return json;
      // As an XML element has it.
      const text = value.kind === 'text' ? value.text.trim().toLowerCase() : '';
      return text === 'true' ? true : text === 'false' ? false : undefined;
    },
  },
  Any: { article: 'a value', read: jsonOf },
};

function numberOf(value: AnyValue): number | undefined {
  const json = value.kind === 'text' ? jsonIn(value.text.trim()) : jsonOf(value);
  return typeof json === 'number' && Number.isFinite(json) ? json : undefined;
}

function jsonOf(value: AnyValue): unknown {
  const python = pythonOfAnyValue(value);
  return python === null
    ? anyValueRepr(value)
    : jsonIn(jsonDumps(python, { indent: null, ascii: false }));
}

/** The observation of a plugin's action: a text as it is, another value as JSON, cut like any other answer. */
export function pluginObservation(outcome: OwnOutcome): Observed {
  if (outcome.kind === 'failed') {
    return failed(outcome.failure, `${errorMarks[outcome.failure]}: ${outcome.message}.`);
  }
  const { value } = outcome;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  const isEmpty = text.trim() === '';
  return {
    content: isEmpty ? '[Warning]: The action returned nothing.' : truncateAnswer(text),
    outcome: isEmpty ? { kind: 'empty' } : { kind: 'found', shown: 1, cut: false },
  };
}

const errorMarks = {
  threw: '[Error]',
  timeout: '[TimeoutError]',
  crash: '[Error]',
  killed: '[Error]',
  nonsense: '[Error]',
} as const;
