import type { StoreName } from '../../domain/ids.js';
import type { KeptPaper } from '../../domain/papers/kept-paper.js';

/** PDFs as files, and what reading them gave. */
export interface PaperFilesPort {
  /** SHA-256 of a file, in hex. Throws PortFailure('UnreadablePdf') where there is no such file. */
  readonly fingerprint: (path: string) => Promise<string>;
  /** Null where the PDF has not been read, or by another version of the extraction. */
  readonly kept: (store: StoreName, sha256: string) => Promise<KeptPaper | null>;
  /** The PDF at `paper.path` is kept too, so that the store does not depend on where papers came from. */
  readonly keep: (store: StoreName, paper: KeptPaper) => Promise<void>;
  /** Where a store's PDF is now; null where it is neither with the store nor where it was read. */
  readonly pdf: (store: StoreName, sha256: string) => Promise<string | null>;
}
