// SPDX-License-Identifier: Apache-2.0
//
// Uses what index.d.ts and lockfile.d.ts declare. It is compiled by ./test-package, and not run.

import * as fc from 'filecoordination';
import { CoordinationError, lock, present, update, writing } from 'filecoordination';
import type { Presenter } from 'filecoordination';
import lockfile = require('filecoordination/lockfile');

export async function settings(path: string): Promise<string | null> {
  return update(path, (old) => {
    const value: { runs?: number } = old === null ? {} : JSON.parse(old.toString('utf8'));
    return JSON.stringify({ ...value, runs: (value.runs ?? 0) + 1 });
  });
}

export async function several(signal: AbortSignal): Promise<number> {
  const length: number = await fc.accessing(
    [
      { path: 'a', access: 'reading', options: ['withoutChanges'] },
      { path: Buffer.from('b'), access: 'writing', onlyIf: 'absent', recursive: true },
    ],
    { timeout: 2.5, signal, label: 'types', onWaiting: (parties) => console.log(parties[0]?.pid) },
    async ([one, two], access) => {
      const path: string = one.path;
      const bytes: Buffer = two.path;
      const seen: string | null = await two.replace(new Uint8Array(1), { onlyIf: two.token });
      const environment: Record<string, string> = { ...access.environment };
      access.signal.addEventListener('abort', () => console.log(environment, bytes, seen));
      // @ts-expect-error: an item that is read cannot be replaced
      await one.replace('text');
      return path.length;
    },
  );
  return length;
}

export async function one(): Promise<void> {
  const text: string = await fc.reading('a', (item) => item.path);
  const bytes: Buffer = await fc.reading(Buffer.from('a'), undefined, async (item) => item.path);
  await writing(new URL('file:///a'), { purpose: text }, (item) => item.replace(bytes));
  // @ts-expect-error: there is no such access
  await fc.hold([{ path: 'a', access: 'both' }]);
  // @ts-expect-error: nothing says what to do with the access
  await writing('a', { timeout: 1 });
  // @ts-expect-error: undefined is neither contents nor their absence
  await update('a', () => undefined);
}

export async function held(): Promise<void> {
  const hold = await fc.hold({ path: 'a', access: 'writing', options: ['forMoving'] });
  await hold.items[0].replace(null);
  await hold[Symbol.asyncDispose]();
  const two = await fc.hold([
    { path: 'a', access: 'reading' },
    { path: 'b', access: 'writing' },
  ]);
  await two.items[1].replace('b');
  await two.release();
  console.log(two.signal.aborted, await fc.token('a', { digest: true }));
  console.log(await fc.status(), (await fc.explain('a')).advice);
}

export async function presented(): Promise<Presenter> {
  return present('a', {
    label: 'editor',
    async save({ presenter }) {
      await update(presenter.path, () => 'text', { purpose: presenter.purpose });
    },
    accommodateSubitemDeletion: (path, question) => path.length + question.presenter.path.length,
    didChange: ({ uncoordinated, exists, pid }) => console.log(uncoordinated, exists, pid),
    subitemDidMove: (from, to) => console.log(from.length, to.length),
    didEnd: (error: CoordinationError) => console.error(error.code, error.holders),
  });
}

export async function locked(file: string): Promise<void> {
  const release: () => Promise<void> = await lock(file, {
    retries: { retries: 3, factor: 2, forever: false },
    stale: 5000,
    realpath: false,
    onCompromised: (error: Error) => console.error(error.message),
  });
  await release();
  await (await lockfile(file))();
  await lockfile.lock(file, { retries: 2 });
  const isLocked: boolean = await lockfile.check(file, { lockfilePath: 'b' });
  if (isLocked) await fc.unlock(file);
  const options: lockfile.LockOptions = { update: null };
  const never: never = lockfile.lockSync(file, options);
  return never;
}

export function codes(error: unknown): string | undefined {
  if (!(error instanceof CoordinationError)) return undefined;
  if (error.code === 'timedOut') return error.holders.map(({ process }) => process).join();
  return error.code === 'stale' ? 'again' : error.file;
}
