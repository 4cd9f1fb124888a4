import { isWellKnown, readNumbers } from '../headings/section-number.js';
import {
  foundParts,
  type EquationPart,
  type FigurePart,
  type PaperParts,
  type PartPlace,
  type Passage,
  type SectionPart,
  type TablePart,
} from './paper-parts.js';
import { readReferences } from '../references/reference-list.js';

/** An item of a parser that gives a paper as one list in reading order. */
export type ListedItem =
  | ({ readonly kind: 'title' | 'text' | 'reference'; readonly text: string } & PartPlace)
  /** `level` is 1 where the parser tells no levels apart. */
  | ({ readonly kind: 'heading'; readonly text: string; readonly level: number } & PartPlace)
  | ({ readonly kind: 'equation' } & EquationPart)
  | ({ readonly kind: 'figure' } & FigurePart)
  | ({ readonly kind: 'table' } & TablePart);

type Of<Kind extends ListedItem['kind']> = ListedItem & { readonly kind: Kind };

/** The parts of a paper whose items are listed in reading order. */
export function partsInOrder(listed: readonly ListedItem[]): PaperParts {
  const items = withTitle(listed);
  const opening: Passage[] = [];
  const list: (SectionPart & { readonly passages: Passage[] })[] = [];
  const entries: (PartPlace & { readonly text: string })[] = [];
  const hasLevels = of('heading', items).some(({ level }) => level > 1);
  for (const item of items) {
    const section = list.at(-1);
    if (item.kind === 'heading') {
      list.push({ ...readHeading(item, hasLevels), page: item.page, passages: [] });
    } else if (item.kind === 'text' || item.kind === 'reference') {
      (section?.passages ?? opening).push({ text: item.text, page: item.page });
      if (item.kind === 'reference' || (section && isReferences(section.title))) entries.push(item);
    } else if (item.kind === 'equation') {
      (section?.passages ?? opening).push({ text: `$${item.latex}$`, page: item.page });
    }
  }
  const abstract = list.find(({ title }) => /^abstract\W*$/i.test(title));
  return foundParts({
    title: of('title', items)[0]?.text ?? null,
    abstract: abstract?.passages.map(({ text }) => text).join('\n') ?? null,
    sections: { opening, list },
    tables: of('table', items),
    figures: of('figure', items),
    equations: of('equation', items),
    references: readReferences(entries),
  });
}

function of<Kind extends ListedItem['kind']>(
  kind: Kind,
  items: readonly ListedItem[],
): readonly Of<Kind>[] {
  return items.filter((item): item is Of<Kind> => item.kind === kind);
}

/** Parsers that know no titles print that of the paper as its first heading. */
function withTitle(items: readonly ListedItem[]): readonly ListedItem[] {
  const first = items.find(({ kind }) => kind === 'heading' || kind === 'title');
  if (first?.kind !== 'heading' || (first.page ?? 1) > 2) return items;
  if (isWellKnown(first.text) || readHeading(first, false).number !== null) return items;
  const { text, page, box } = first;
  return items.map((item) => (item === first ? { kind: 'title', text, page, box } : item));
}

/** A level without a number counts where the parser tells levels apart. A letter may be the first word of a title. */
function readHeading(
  { text, level }: Pick<Of<'heading'>, 'text' | 'level'>,
  hasLevels: boolean,
): Pick<SectionPart, 'title' | 'number' | 'level'> {
  const read = readNumbers(text).find(({ number: { kind, named } }) => kind === 'decimal' || named);
  return read === undefined
    ? { title: text, number: null, level: hasLevels ? level : null }
    : { title: read.title, number: read.number.printed, level: read.number.path.length };
}

const isReferences = (title: string): boolean =>
  /^(references|bibliography|literature cited|works cited)\W*$/i.test(title);
