// cspell:ignore CANTOPEN IOCAP IOERR capi cstrncpy pstack
import fs from 'node:fs';
import init from '@sqlite.org/sqlite-wasm';

export type Sqlite = Awaited<ReturnType<typeof init>>;

/** A place in the library's memory. */
export type Pointer = number;

export interface SqliteLibrary {
  readonly sqlite: Sqlite;
  /** Opens a database, for null an empty one in memory, and returns its connection; null if it cannot be opened. */
  readonly open: (file: string | null) => Pointer | null;
}

/**
 * Loads SQLite with a file system of its own, in which are the files that `open` is given. `reading`: nothing else can be found,
 * made, or written, whatever a statement asks for; temporary tables are in memory, and no log or journal beside a file is
 * looked for. `writing`: also the log and the journal beside a file.
 */
export async function loadSqlite(access: 'reading' | 'writing'): Promise<SqliteLibrary> {
  const silent = (): void => undefined;
  const sqlite = await init({ print: silent, printErr: silent });
  const { capi, vfs, wasm } = sqlite;
  const isReading = access === 'reading';
  /** By the library's pointer to a file. */
  const descriptors = new Map<Pointer, number>();
  const descriptor = (file: Pointer): number => descriptors.get(file) ?? -1;
  let opening: string | null = null;

  /** An exception would leave the library in an undefined state. */
  const guarded = (work: () => number | undefined): number => {
    try {
      return work() ?? capi.SQLITE_OK;
    } catch {
      return capi.SQLITE_IOERR;
    }
  };
  const changing = (work: () => unknown): number =>
    isReading ? capi.SQLITE_READONLY : guarded(() => void work());
  const flag = (at: Pointer, value: number): number => guarded(() => void wasm.poke32(at, value));
  const ignore = (): number => capi.SQLITE_OK;
  const nameAt = (name: Pointer): string => wasm.cstrToJs(name) ?? '';

  const methods = new capi.sqlite3_io_methods();
  const files = new capi.sqlite3_vfs();
  const usual = new capi.sqlite3_vfs(capi.sqlite3_vfs_find(null));
  const { structInfo } = new capi.sqlite3_file();
  Object.assign(methods, { $iVersion: 1 });
  Object.assign(files, { $iVersion: 2, $szOsFile: structInfo.sizeof, $mxPathname: 4096 });
  // What has nothing to do with files is as usual: chance, and the time.
  for (const name of ['$xRandomness', '$xSleep', '$xCurrentTime', '$xCurrentTimeInt64']) {
    Reflect.set(files, name, Reflect.get(usual, name));
  }
  vfs.installVfs({
    io: {
      struct: methods,
      methods: {
        xClose: (file) =>
          guarded(() => {
            fs.closeSync(descriptor(file));
            descriptors.delete(file);
            return undefined;
          }),
        xRead: (file, to, length, from) =>
          guarded(() => {
            const heap = wasm.heap8u();
            const read = fs.readSync(descriptor(file), heap, to, length, numberOf(from));
            heap.fill(0, to + read, to + length);
            return read === length ? capi.SQLITE_OK : capi.SQLITE_IOERR_SHORT_READ;
          }),
        xWrite: (file, from, length, to) =>
          changing(() => {
            fs.writeSync(descriptor(file), wasm.heap8u(), from, length, numberOf(to));
          }),
        xTruncate: (file, size) =>
          changing(() => fs.ftruncateSync(descriptor(file), numberOf(size))),
        xFileSize: (file, to) =>
          guarded(() => {
            wasm.poke64(to, BigInt(fs.fstatSync(descriptor(file)).size));
          }),
        // Nobody else has the file, and it is thrown away if the machine stops.
        ...{ xSync: ignore, xLock: ignore, xUnlock: ignore },
        xCheckReservedLock: (_file, to) => flag(to, 0),
        xFileControl: () => capi.SQLITE_NOTFOUND,
        xSectorSize: () => 4096,
        xDeviceCharacteristics: () => (isReading ? capi.SQLITE_IOCAP_IMMUTABLE : 0),
      },
    },
    vfs: {
      struct: files,
      name: fileSystem,
      methods: {
        xOpen: (_files, name, file, flags, to) =>
          guarded(() => {
            const isDatabase = (flags & capi.SQLITE_OPEN_MAIN_DB) !== 0;
            const path = isReading ? opening : nameAt(name);
            if (path === null || (isReading && !isDatabase)) return capi.SQLITE_CANTOPEN;
            const mode = isReading
              ? fs.constants.O_RDONLY
              : fs.constants.O_RDWR | fs.constants.O_CREAT;
            descriptors.set(file, fs.openSync(path, mode));
            Object.assign(new capi.sqlite3_file(file), { $pMethods: methods.pointer });
            return to === 0 ? capi.SQLITE_OK : flag(to, flags);
          }),
        xDelete: (_files, name) => changing(() => fs.rmSync(nameAt(name), { force: true })),
        xAccess: (_files, name, _flags, to) =>
          flag(to, !isReading && fs.existsSync(nameAt(name)) ? 1 : 0),
        xFullPathname: (_files, name, length, to) =>
          wasm.cstrncpy(to, name, length) < length ? capi.SQLITE_OK : capi.SQLITE_CANTOPEN,
        xGetLastError: silent,
      },
    },
  });

  return {
    sqlite,
    open: (file) => {
      const stack = wasm.pstack.pointer;
      const made = wasm.pstack.alloc(8);
      opening = file;
      try {
        // Statements can learn the name of what they read, so it does not say where the file is.
        const name = file === null ? ':memory:' : isReading ? 'database' : file;
        const mode =
          isReading && file !== null ? capi.SQLITE_OPEN_READONLY : capi.SQLITE_OPEN_READWRITE;
        const code = capi.sqlite3_open_v2(name, made, mode, fileSystem);
        return code === capi.SQLITE_OK ? wasm.peekPtr(made) : null;
      } finally {
        opening = null;
        wasm.pstack.restore(stack);
      }
    },
  };
}

const fileSystem = 'turnwise';

/** A place in a file: a bigint, though the library's types say that it is a number. */
const numberOf = (place: number | bigint): number => Number(place);

/**
 * Makes one file of a database and the log or the journal beside it, as whoever opens it next would do: what was committed is
 * in it, what was cut off is not. Does nothing to a file that is damaged.
 */
export async function recoverSqlite(file: string): Promise<void> {
  const { sqlite, open } = await loadSqlite('writing');
  const connection = open(file);
  if (connection === null) return;
  // A log needs memory that is shared, unless one connection has the file alone.
  const settings = 'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE';
  sqlite.capi.sqlite3_exec(connection, settings, 0, 0, 0);
  sqlite.capi.sqlite3_close_v2(connection);
}
