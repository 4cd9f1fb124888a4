import { z } from 'zod';

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
export const parserSourceSchema = z.object({
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
