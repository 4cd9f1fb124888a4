import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file whole or not at all: a reader, or a process started after a crash, never sees half of it. */
export async function writeFileAtomically(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeDraft();
    await rename(draft, path);
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
