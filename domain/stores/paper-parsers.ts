import { z } from 'zod';
import { fileContentSchema } from '../file-content.js';

/** Programs whose reading of a paper takes the place of parts of ours. */
export const parserSchema = z.enum(['mineru', 'grobid', 'docling', 'latex']);
export type Parser = z.infer<typeof parserSchema>;

/** As texts for users name them. */
export const parserNames: Readonly<Record<Parser, string>> = {
  mineru: 'MinerU',
  grobid: 'GROBID',
  docling: 'Docling',
  latex: 'LaTeX source',
};

/** What a parser reads of a paper. */
const parserSourceSchema = z.object({
  parser: parserSchema,
  /** SHA-256 of its files beside the PDF, in hex; null where its server reads the PDF. */
  files: z.string().nullable(),
});
export type ParserSource = Readonly<z.infer<typeof parserSourceSchema>>;

/** A parser whose parts a paper has, e.g. `sections` and `tables`. */
export const appliedParserSchema = parserSourceSchema.extend({ parts: z.array(z.string()) });
export type AppliedParser = Readonly<z.infer<typeof appliedParserSchema>>;

/** The parsers whose files may lie beside a PDF, which are used without being asked for. The later one wins. */
export const parsersOfFiles: readonly Parser[] = ['mineru', 'latex'];

/** Whether a paper was read from these sources, in this order. */
export const isReadFrom = (
  applied: readonly ParserSource[],
  sources: readonly ParserSource[],
): boolean => sourcesText(applied) === sourcesText(sources);

/** `grobid, latex SHA256`: equal for equal sources. */
export const sourcesText = (sources: readonly ParserSource[]): string =>
  sources.map(({ parser, files }) => (files === null ? parser : `${parser} ${files}`)).join(', ');

/**
 * Whether a paper need not be read again.
 * @param wanted - the parsers that were asked for; undefined: those whose files lie beside the PDF. What a server has read
 * stays then.
 */
export const isReadAsWanted = (
  applied: readonly ParserSource[],
  sources: readonly ParserSource[],
  wanted: readonly Parser[] | undefined,
): boolean =>
  isReadFrom(applied, sources) ||
  (wanted === undefined && applied.some(({ files }) => files === null));

/** The files of other parsers that lay beside a PDF, as they are kept with a store. */
export const besidePdfSchema = z.object({
  /** The file name of the PDF, from which theirs are made. */
  pdf: z.string(),
  /** Where they are, in the folder of the store: other files are in another folder. */
  folder: z.string(),
  files: z.array(fileContentSchema.extend({ name: z.string() })),
});
export type BesidePdf = Readonly<z.infer<typeof besidePdfSchema>>;

/** The names that files of parsers have beside `NAME.pdf`. A LaTeX source may bring a list of references. @param name - NAME */
export function namesBeside(name: string): readonly string[] {
  const archives = [name, `arXiv-${name}`].flatMap((one) =>
    ['.tar.gz', '.tgz', '.gz'].map((end) => one + end),
  );
  return [...archives, `${name}.tex`, `${name}.bbl`, ...mineruNames(name)];
}

/** Whether a file in the folder `NAME` beside `NAME.pdf` is of a parser. @param path - in that folder, with `/` */
export function isOfParser(name: string, path: string): boolean {
  const [last = ''] = path.split('/').slice(-1);
  return /\.(?:tex|ltx|bbl)$/i.test(last) || mineruNames(name).includes(last);
}

/** MinerU's own copy of a PDF is called `NAME_origin.pdf`. */
const mineruNames = (name: string): readonly string[] =>
  ['_middle.json', '_content_list.json'].map((end) => name.replace(/_origin$/, '') + end);

/** The folders beside `NAME.pdf` in which files of parsers may be. */
export const foldersBeside = (name: string): readonly string[] => [
  ...new Set([name, name.replace(/_origin$/, '')]),
];
