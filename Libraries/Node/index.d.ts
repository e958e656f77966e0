// SPDX-License-Identifier: Apache-2.0
//
// What the package offers, for TypeScript and for editors. The comments here are the reference;
// README.md shows how to use it.

/// <reference types="node" />

declare global {
  interface SymbolConstructor {
    // Older compilers and libraries have none.
    readonly asyncDispose: unique symbol;
  }
}

/** The path of an item. A Buffer is for names that are not UTF-8; then paths come as Buffers. */
export type PathLike = string | Buffer | Uint8Array | URL;

/** The path of an item as an accessor gets it. */
export type PathOf<P extends PathLike> = P extends Uint8Array ? Buffer : string;

/**
 * Why a call failed. Later versions may have more. `lost`: the session process has died, so that
 * access ended while it was used. `ELOCKED` and those after it come from `lock` and `unlock`.
 */
export type CoordinationErrorCode =
  | 'timedOut'
  | 'stale'
  | 'deadlock'
  | 'refused'
  | 'cancelled'
  | 'alreadyGranted'
  | 'unknownClaim'
  | 'badRequest'
  | 'badPath'
  | 'limitExceeded'
  | 'unreachable'
  | 'inputOutput'
  | 'lost'
  | 'notInstalled'
  | 'wrongVersion'
  | 'ELOCKED'
  | 'ENOTACQUIRED'
  | 'ERELEASED'
  | 'ECOMPROMISED'
  | (string & {});

/** A process in the way: one that holds an item, waits ahead, or has not answered. */
export interface Party {
  pid: number;
  /** The name of its program. */
  process: string;
  /** What it calls itself or its access. */
  label: string;
  path: string;
  /** The exact path, percent-encoded, if it is not UTF-8. */
  pathBytes?: string;
  role: string;
  /** For how long it has been in the way, in seconds. */
  since: number;
  /** Whether the process is stopped, as by SIGSTOP. */
  stopped: boolean;
  /** The message that a presenter has not answered. */
  message?: string;
}

/** Access was not granted, or was lost. */
export class CoordinationError extends Error {
  constructor(
    message: string,
    code: CoordinationErrorCode,
    details?: { holders?: Party[]; cause?: unknown },
  );
  readonly code: CoordinationErrorCode;
  /** The processes in the way, if that is known. */
  readonly holders: Party[];
  /** The file, in errors of `lock`, `unlock` and `check`. */
  readonly file?: string;
}

/** Options of an item to read. */
export type ReadingOption =
  | 'withoutChanges'
  | 'resolvesSymbolicLink'
  | 'immediatelyAvailableMetadataOnly'
  | 'forUploading'
  | (string & {});

/** Options of an item to write. */
export type WritingOption =
  | 'forDeleting'
  | 'forMoving'
  | 'forMerging'
  | 'forReplacing'
  | 'contentIndependentMetadataOnly'
  | (string & {});

/** How one item is accessed. */
export interface ItemOptions<Option extends string> {
  options?: readonly Option[];
  /** The state in which the item must be, else the call is refused with `stale`; so it is with null, which is none. */
  onlyIf?: string | null;
  /** A directory with everything inside. */
  recursive?: boolean;
  /** A final symbolic link itself, not what it leads to. */
  noFollow?: boolean;
  /** Tokens have a digest of the contents: then equal contents count as unchanged. */
  digest?: boolean;
}

/** How a claim waits. */
export interface WaitOptions {
  /** Bounds the wait, in seconds; 0 does not wait. Without it, the wait has no bound. */
  timeout?: number;
  /** Cancels the wait, not the access: then the call rejects with `cancelled`. */
  signal?: AbortSignal;
  /** What other programs are shown for this access. */
  label?: string;
  /** Accesses of one purpose do not wait for each other. Each call has its own by default. */
  purpose?: string;
  /** Called after a second of waiting with the processes in the way, and when these change. */
  onWaiting?: (parties: Party[]) => void;
}

/** An item that may be read. */
export interface Item<P extends string | Buffer = string> {
  /** Where the item was when access was granted; use this path. */
  readonly path: P;
  /** The state of the item when access was granted. */
  readonly token: string;
}

/** An item that may be written. */
export interface WritingItem<P extends string | Buffer = string> extends Item<P> {
  /**
   * Puts new contents in the place of the file, in one step; null removes it.
   *
   * Mode, owner, access control lists and attributes are kept. With `onlyIf`, the file must be in
   * that state, else it rejects with `stale`. Returns the token of what was left; null if the name
   * leads elsewhere by now.
   */
  replace(
    contents: string | Uint8Array | null,
    options?: { onlyIf?: string | null },
  ): Promise<string | null>;
}

/** What an accessor gets beside its item. */
export interface Access {
  /** Aborted if the session dies: then the access has ended, and the call rejects with `lost`. */
  readonly signal: AbortSignal;
  /** Variables for child processes that work under the access, beside their own. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What a call does while it has access. */
export type Accessor<I, T> = (item: I, access: Access) => T | PromiseLike<T>;

/**
 * Waits for access to read an item: once no access writes it, and its presenters have saved it.
 * Access lasts until the promise of `fn` is settled; its result is the call's.
 */
export function reading<T, P extends PathLike>(
  path: P,
  fn: Accessor<Item<PathOf<P>>, T>,
): Promise<T>;
export function reading<T, P extends PathLike>(
  path: P,
  options: (ItemOptions<ReadingOption> & WaitOptions) | undefined,
  fn: Accessor<Item<PathOf<P>>, T>,
): Promise<T>;

/**
 * Waits for access to write an item: once no other access has it, and its presenters have let go.
 * Access lasts until the promise of `fn` is settled; its result is the call's.
 */
export function writing<T, P extends PathLike>(
  path: P,
  fn: Accessor<WritingItem<PathOf<P>>, T>,
): Promise<T>;
export function writing<T, P extends PathLike>(
  path: P,
  options: (ItemOptions<WritingOption> & WaitOptions) | undefined,
  fn: Accessor<WritingItem<PathOf<P>>, T>,
): Promise<T>;

/** An item of a claim that names several. */
export type WantedItem<P extends PathLike = PathLike> =
  | ({ path: P; access: 'reading' } & ItemOptions<ReadingOption>)
  | ({ path: P; access: 'writing' } & ItemOptions<WritingOption>);

/** The item that an accessor gets for one that was asked for. */
export type GrantedItem<W> = W extends { path: infer P extends PathLike; access: infer A }
  ? A extends 'writing'
    ? WritingItem<PathOf<P>>
    : Item<PathOf<P>>
  : never;

/** The items that an accessor gets, in the order in which they were asked for. */
export type GrantedItems<Ws extends readonly WantedItem[]> = {
  readonly [K in keyof Ws]: GrantedItem<Ws[K]>;
};

/** Waits for access to several items in one claim, which is granted whole. */
export function accessing<T, Ws extends readonly WantedItem[]>(
  items: readonly [...Ws],
  fn: Accessor<GrantedItems<Ws>, T>,
): Promise<T>;
export function accessing<T, Ws extends readonly WantedItem[]>(
  items: readonly [...Ws],
  options: WaitOptions | undefined,
  fn: Accessor<GrantedItems<Ws>, T>,
): Promise<T>;

/** Access that lasts until it is released. It does not keep the program alive. */
export interface Hold<Items extends readonly Item<any>[] = readonly WritingItem[]> {
  readonly items: Items;
  /** Aborted if the session dies: then the access has ended. */
  readonly signal: AbortSignal;
  /** Variables for child processes that work under the access, beside their own. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends the access; a second call has no effect. Rejects with `lost` if it had ended before. */
  release(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Waits for access to items, in one claim. The caller releases it. */
export function hold<W extends WantedItem>(
  item: W,
  options?: WaitOptions,
): Promise<Hold<readonly [GrantedItem<W>]>>;
export function hold<Ws extends readonly WantedItem[]>(
  items: readonly [...Ws],
  options?: WaitOptions,
): Promise<Hold<GrantedItems<Ws>>>;

/** What `update` can be given. */
export interface UpdateOptions extends WaitOptions {
  onlyIf?: string | null;
  noFollow?: boolean;
  digest?: boolean;
}

/**
 * Changes a file: `fn` gets its contents, null if there is no file, and returns the new ones, null
 * for no file. The new contents take the file's place in one step. Equal ones change nothing, nor
 * does an error. Returns the token of what was left; null if the name leads elsewhere by now.
 *
 * If a program that does not coordinate changes the file meanwhile, it rejects with `stale`, and
 * the file is as that program has left it.
 */
export function update(
  path: PathLike,
  fn: (
    contents: Buffer | null,
  ) => string | Uint8Array | null | PromiseLike<string | Uint8Array | null>,
  options?: UpdateOptions,
): Promise<string | null>;

/**
 * Returns which state of an item is to be seen now, as a text that can be stored. Take it before
 * you read, and pass it as `onlyIf` when you write. It never waits for other programs.
 */
export function token(path: PathLike, options?: { digest?: boolean }): Promise<string>;

/** Returns who holds, who waits and who presents: the object of `filecoord status --json`. */
export function status(): Promise<Record<string, any>>;

/** Returns why an access would wait now: the object of `filecoord explain --json`. */
export function explain(path: PathLike): Promise<Record<string, any>>;

/** What a method of a presenter gets with a question. */
export interface Question<P extends string | Buffer = string> {
  readonly presenter: Presenter<P>;
}

/** What a method of a presenter gets with news. */
export interface News<P extends string | Buffer = string> {
  readonly presenter: Presenter<P>;
  /** Whether the program that made the change does not coordinate. */
  readonly uncoordinated: boolean;
  /** Of a change: whether the item is still there. */
  readonly exists?: boolean;
  /** The process that made a coordinated change. */
  readonly pid?: number;
  readonly label?: string;
}

/**
 * What a presenter can do; a method that is missing costs other programs nothing.
 *
 * Methods are called one at a time. Those that get a `Question` answer by returning, or when their
 * promise is fulfilled; other programs wait for that. `save` and the `accommodate` methods refuse
 * by throwing. In an answering method, access to the item needs `presenter.purpose`.
 */
export interface PresenterMethods<P extends string | Buffer = string> {
  /** What other programs are shown for it. */
  label?: string;
  /** Another program is about to read: stop writing. */
  relinquishToReader?(question: Question<P>): unknown;
  /** Another program is about to write: stop using the item. */
  relinquishToWriter?(question: Question<P>): unknown;
  /** Save what is unsaved. */
  save?(question: Question<P>): unknown;
  /** The item is about to be deleted: close it. */
  accommodateDeletion?(question: Question<P>): unknown;
  /** An item inside is about to be deleted. */
  accommodateSubitemDeletion?(path: P, question: Question<P>): unknown;
  /** The reader that it made way for is done. */
  reacquireFromReader?(news: News<P>): unknown;
  /** The writer that it made way for is done: look at the item again. */
  reacquireFromWriter?(news: News<P>): unknown;
  /** The item is at `path` by now. */
  didMove?(path: P, news: News<P>): unknown;
  /** The item was changed, or is gone. */
  didChange?(news: News<P>): unknown;
  /** An item has come into the directory. */
  subitemDidAppear?(path: P, news: News<P>): unknown;
  /** An item inside was changed, or is gone. */
  subitemDidChange?(path: P, news: News<P>): unknown;
  /** An item inside was moved. */
  subitemDidMove?(oldPath: P, newPath: P, news: News<P>): unknown;
  /** The session has died: nothing is asked or told any more. Present the item again. */
  didEnd?(error: CoordinationError): unknown;
}

/** A registered presenter. It does not keep the program alive. */
export interface Presenter<P extends string | Buffer = string> {
  /** Where its item is by now. */
  readonly path: P;
  /** For accesses of its own, about which it is not asked. */
  readonly purpose: string;
  /** Ends the registration; more than once has no effect. No method starts after this. */
  close(): Promise<void>;
}

/** Registers an object for a file or a directory, which need not exist. */
export function present<P extends PathLike>(
  path: P,
  methods: PresenterMethods<PathOf<P>>,
): Promise<Presenter<PathOf<P>>>;

export { check, checkSync, lock, lockSync, unlock, unlockSync } from './lockfile.js';
