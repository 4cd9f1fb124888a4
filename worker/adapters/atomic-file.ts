import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

// Both wait for the disk: of the few kilobytes that a turn leaves, each of five hops to a thread computes for as long as all
// system calls together, and waits for a core where those are busy.

/** What file systems without hard links say: exFAT, and some network shares. */
const withoutLinks: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Writes a file whole or not at all: a reader, or a process started after a crash, never sees half of it. Throws what node:fs throws. */
export function writeFileAtomically(path: string, content: string | Uint8Array): void {
  throughDraft(path, content, (draft) => renameSync(draft, path));
}

/** Like `writeFileAtomically`, for what a disk may be too full for. */
export function writeFileIfPossible(path: string, content: string | Uint8Array): void {
  try {
    writeFileAtomically(path, content);
  } catch {
    // Whoever looks for it does not find it.
  }
}

/** Like `writeFileAtomically`, but a file that is there stays. Tells whether it was written. */
export function createFileAtomically(path: string, content: string): boolean {
  return throughDraft(path, content, (draft) => {
    const written = linkFirst(draft, path);
    if (written !== 'moved') unlinkSync(draft);
    return written !== 'late';
  });
}

function linkFirst(draft: string, path: string): 'linked' | 'moved' | 'late' {
  try {
    linkSync(draft, path);
    return 'linked';
  } catch (error) {
    // What node:fs throws.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return 'late';
    if (!withoutLinks.includes(code)) throw error;
    // Of two writers at the same moment the last one wins there.
    renameSync(draft, path);
    return 'moved';
  }
}

/** @param publish - leaves no draft behind, unless it throws */
function throughDraft<T>(
  path: string,
  content: string | Uint8Array,
  publish: (draft: string) => T,
): T {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    writeDraft();
    return publish(draft);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }

  function writeDraft(): void {
    try {
      writeFileSync(draft, content);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(draft, content);
    }
  }
}
