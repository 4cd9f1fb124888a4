import { Parser } from 'htmlparser2';
import { UnexpectedDocument } from './paper-parts.js';

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

/** Documents of parsers nest about ten elements. */
const deepest = 200;

/**
 * The root element of an XML text. Entities of a document type are not expanded, and nothing is fetched.
 * Throws UnexpectedDocument if an element is not closed, e.g. because the text is cut off.
 */
export function readXml(xml: string): XmlElement {
  const root: Open = { name: '', attributes: {}, children: [] };
  const open: Open[] = [root];
  const faults: string[] = [];
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        const element: Open = { name, attributes, children: [] };
        open.at(-1)?.children.push(element);
        open.push(element);
        if (open.length > deepest) faults.push(`nests more than ${deepest} elements`);
      },
      ontext: (text) => {
        open.at(-1)?.children.push(text);
      },
      onclosetag: (name, implied) => {
        open.pop();
        // A tag that closes itself counts as implied too.
        const isClosed = !implied || xml[parser.endIndex - 1] === '/';
        if (!isClosed) faults.push(`does not close the element ${name}`);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  const element = root.children.find((child) => typeof child !== 'string');
  if (element === undefined) throw new UnexpectedDocument('is no XML');
  const [fault] = faults;
  if (fault !== undefined) throw new UnexpectedDocument(`is broken XML: it ${fault}`);
  return element;
}

interface Open extends XmlElement {
  readonly children: (XmlElement | string)[];
}

export const elementsIn = ({ children }: XmlElement): readonly XmlElement[] =>
  children.filter((child) => typeof child !== 'string');

/** The elements at a path of names below an element. */
export function allAt(element: XmlElement, ...path: readonly string[]): readonly XmlElement[] {
  return path.reduce<readonly XmlElement[]>(
    (found, name) => found.flatMap((one) => elementsIn(one).filter((child) => child.name === name)),
    [element],
  );
}

export const firstAt = (element: XmlElement, ...path: readonly string[]): XmlElement | undefined =>
  allAt(element, ...path)[0];

/** All elements of a name below an element, in document order; none inside another one. */
export const within = (element: XmlElement, name: string): readonly XmlElement[] =>
  elementsIn(element).flatMap((child) => (child.name === name ? [child] : within(child, name)));

/** The text of an element on one line; empty for none. */
export const textIn = (element: XmlElement | undefined): string =>
  element === undefined ? '' : rawText(element).replace(/\s+/g, ' ').trim();

const rawText = ({ children }: XmlElement): string =>
  children.map((child) => (typeof child === 'string' ? child : rawText(child))).join('');
