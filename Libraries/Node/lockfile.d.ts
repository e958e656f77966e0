// SPDX-License-Identifier: Apache-2.0
//
// `filecoordination/lockfile`: locks in the shape of the npm package proper-lockfile.

declare namespace lock {
  /** How often a lock would be tried for; here, it waits as long as that takes altogether. */
  interface RetrySchedule {
    retries?: number;
    factor?: number;
    /** In milliseconds. */
    minTimeout?: number;
    /** In milliseconds. */
    maxTimeout?: number;
    randomize?: boolean;
    /** Waits without a bound. */
    forever?: boolean;
    /** In milliseconds. */
    maxRetryTime?: number;
    unref?: boolean;
  }

  interface FileOptions {
    /** Follows all symbolic links, for which the file must exist. True by default. */
    realpath?: boolean;
    /** The path to claim, instead of the file's. Nothing is made there. */
    lockfilePath?: string;
    /** Without effect. */
    fs?: object;
  }

  interface CheckOptions extends FileOptions {
    /** Without effect: a lock ends with its program. */
    stale?: number;
  }

  interface LockOptions extends CheckOptions {
    /** Without effect. */
    update?: number | null;
    /** None by default: a file that is locked is an error at once. */
    retries?: number | RetrySchedule;
    /** Called if the lock is lost; the default throws the error. */
    onCompromised?: (error: Error) => unknown;
  }

  /** Locks a file. Rejects with ELOCKED if it is locked; returns a function that unlocks it. */
  function lock(file: string, options?: LockOptions): Promise<() => Promise<void>>;

  /** Unlocks a file that this program has locked, else rejects with ENOTACQUIRED. */
  function unlock(file: string, options?: FileOptions): Promise<void>;

  /** Whether a file is locked, by this program or another one. */
  function check(file: string, options?: CheckOptions): Promise<boolean>;

  /** Throws: it would stop the whole program. Use `lock`. */
  function lockSync(file: string, options?: LockOptions): never;

  /** Throws. Use `unlock`. */
  function unlockSync(file: string, options?: FileOptions): never;

  /** Throws. Use `check`. */
  function checkSync(file: string, options?: CheckOptions): never;
}

/** The same as its member `lock`. */
declare function lock(file: string, options?: lock.LockOptions): Promise<() => Promise<void>>;

export = lock;
