import { z } from 'zod';
import { fileContentSchema } from '../file-content.js';

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
