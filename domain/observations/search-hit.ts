/** One entry of a collection, best first; `score` is the collection's own metric (IP or COSINE). */
export interface SearchHit {
  readonly score: number;
  readonly pdfId: string;
  /** From 1; -1 where the row belongs to no page. */
  readonly pageNumber: number;
  readonly tableName: string;
  readonly columnName: string;
  readonly primaryKey: string;
}
