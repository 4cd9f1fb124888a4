import { randomUUID } from 'node:crypto';
import { link, mkdir, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What file systems without hard links say: exFAT, and some network shares. */
const withoutLinks: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Writes a file whole or not at all: a reader, or a process started after a crash, never sees half of it. */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
): Promise<void> {
  await throughDraft(path, content, (draft) => rename(draft, path));
}

/** Like `writeFileAtomically`, but a file that is there stays. Tells whether it was written. */
export async function createFileAtomically(path: string, content: string): Promise<boolean> {
  return throughDraft(path, content, async (draft) => {
    const written = await linkFirst(draft, path);
    if (written !== 'moved') await unlink(draft);
    return written !== 'late';
  });
}

async function linkFirst(draft: string, path: string): Promise<'linked' | 'moved' | 'late'> {
  try {
    await link(draft, path);
    return 'linked';
  } catch (error) {
    // What node:fs throws.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return 'late';
    if (!withoutLinks.includes(code)) throw error;
    // Of two writers at the same moment the last one wins there.
    await rename(draft, path);
    return 'moved';
  }
}

/** @param publish - leaves no draft behind, unless it rejects */
async function throughDraft<T>(
  path: string,
  content: string | Uint8Array,
  publish: (draft: string) => Promise<T>,
): Promise<T> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeDraft();
    return await publish(draft);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }

  async function writeDraft(): Promise<void> {
    try {
      await writeFile(draft, content);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await mkdir(dirname(path), { recursive: true });
      await writeFile(draft, content);
    }
  }
}
