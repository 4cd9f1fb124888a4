const meanings: readonly (readonly [RegExp, string])[] = [
  [/address already in use|EADDRINUSE/i, 'another program took its port in the meantime'],
  [/no space left on device|ENOSPC|disk is full/i, 'the disk is full'],
  [/database is locked/i, 'another process has its database open'],
  [/file is not a database|database disk image is malformed/i, 'its database file is damaged'],
  [/permission denied|EACCES|read-only file system|EROFS/i, 'it may not write where it should'],
  [/ModuleNotFoundError|ImportError/, 'its Python packages are incomplete'],
  [/GLIBC_|illegal instruction|exec format error/i, 'its binary does not fit this machine'],
  [/cannot allocate memory|out of memory|MemoryError/i, 'memory ran out'],
];

const complaint = /error|fatal|panic|fail|exception|unable|cannot|refus/i;
const longestQuote = 200;

/** One clause on why a service died, from the end of its log; undefined when the log is silent. */
export function logMeaning(tail: string): string | undefined {
  const known = meanings.find(([pattern]) => pattern.test(tail));
  if (known) return known[1];
  const lines = tail.split('\n').map((line) => line.trim());
  const said = lines.findLast((line) => complaint.test(line)) ?? lines.findLast(Boolean);
  return said && `it said “${said.slice(0, longestQuote)}”`;
}
