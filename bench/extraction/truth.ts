/** What the source of a paper says about it. Texts are plain; `gap` stands for what the source cannot tell, such as a formula. */
export interface PaperTruth {
  /** Other wordings of the title that a print may show; empty where the source has none. */
  readonly titles: readonly string[];
  /** In order; null where the source does not give names of persons reliably. */
  readonly authors: readonly string[] | null;
  readonly abstract: string | null;
  /** In order; null where parts of the body lie in files that are not there. */
  readonly sections: readonly SectionTruth[] | null;
  /** Headings that a program prints, or not: neither missed nor wrong. */
  readonly possibleSections: readonly string[];
  readonly captions: readonly CaptionTruth[];
  /** Null where the entries cannot be counted. */
  readonly references: readonly ReferenceTruth[] | null;
  /** Running text without floats, code and display equations, a paragraph each. */
  readonly paragraphs: readonly string[];
  readonly displayEquations: number;
  readonly columns: 1 | 2;
}

export interface SectionTruth {
  /** From 1. */
  readonly level: number;
  readonly title: string;
}

export interface CaptionTruth {
  readonly kind: 'figure' | 'table';
  readonly text: string;
  /** Texts of cells that the source spells out; empty where it has none. */
  readonly cells: readonly string[];
}

/** An entry of the list of references. All `parts` are printed in it, in any order; none are known where only its key is. */
export interface ReferenceTruth {
  readonly parts: readonly string[];
}

/** U+FFFC: text that only the typesetting program knows. It may be empty. */
export const gap = '\uFFFC';

/** One line without doubled spaces. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The text of a source in UTF-8, or else in Latin-1. */
export function decodeSource(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}
