import { Parser } from 'htmlparser2';
import type { PythonEntry, PythonValue } from '../../formats/python/value.js';
import { strip } from '../../formats/python/text.js';

interface Element {
  text: string;
  readonly children: [name: string, element: Element][];
}

const maxDepth = 100;

/**
 * The content of the first element of an XML text, converted as in the reference system: a stripped string, or a dict of
 * the child elements, in which children of the same name become a list. Null when there is no element or the nesting is too
 * deep. An element that is not closed ends with the text.
 */
export function parseXml(xml: string): PythonValue | null {
  const top: Element = { text: '', children: [] };
  const open = [top];
  let deepest = 0;
  const parser = new Parser(
    {
      onopentagname: (name) => {
        const element: Element = { text: '', children: [] };
        open.at(-1)?.children.push([name, element]);
        open.push(element);
        deepest = Math.max(deepest, open.length);
      },
      ontext: (text) => {
        const element = open.at(-1);
        if (element) element.text += text;
      },
      onclosetag: () => {
        open.pop();
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  const [first] = top.children;
  return first === undefined || deepest > maxDepth ? null : valueOf(first[1]);
}

function valueOf({ text, children }: Element): PythonValue {
  if (children.length === 0) return { kind: 'str', value: strip(text) };
  const byName = new Map<string, PythonValue[]>();
  for (const [name, child] of children) {
    const values = byName.get(name) ?? [];
    values.push(valueOf(child));
    byName.set(name, values);
  }
  const entries = Array.from(byName, ([name, values]): PythonEntry => {
    const [only] = values;
    const value: PythonValue = values.length === 1 && only ? only : { kind: 'list', items: values };
    return [{ kind: 'str', value: name }, value];
  });
  return { kind: 'dict', entries };
}

/** Escapes a text for XML. Characters that XML does not allow stay as they are. */
export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
