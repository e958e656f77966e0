// SPDX-License-Identifier: Apache-2.0
//
// `lock`, `unlock` and `check` in the shape of the npm package proper-lockfile, for programs that
// use it already. A lock is access to write the file: the same that `writing` and `filecoord write`
// wait for. It ends with the program that has it, so nothing is left behind and nothing gets stale.
'use strict';

const fs = require('fs/promises');
const path = require('path');

const { obtain } = require('./claim.js');
const { CoordinationError } = require('./errors.js');

/** What is needed for locks that outlive their program. */
const NEEDLESS = ['stale', 'update', 'fs'];
/** The codes of a claim that was not granted because of others. */
const IN_THE_WAY = new Set(['timedOut', 'deadlock', 'refused']);
/** How retries are counted if a part of that is not said; times are in milliseconds. */
const RETRIES = { retries: 10, factor: 2, minTimeout: 1000, maxTimeout: Infinity };

/** The locks of this program, by the paths of their files. */
const locks = new Map();
let hasWarned = false;

/** Locks a file, and returns a function that unlocks it. */
async function lock(file, options = {}) {
  warnOfNeedless(options);
  const place = await resolved(file, options);
  const held = { isOver: false, claim: null };
  held.claim = await claim(place, options, secondsOf(options.retries));
  locks.set(place, held);
  held.claim.signal.addEventListener('abort', () => compromised(place, held, options));
  return () => release(place, held);
}

/** Unlocks a file that this program has locked. */
async function unlock(file, options = {}) {
  const place = await resolved(file, options);
  const held = locks.get(place);
  if (!held) throw failure('ENOTACQUIRED', `this program has not locked ${place}`, place);
  await release(place, held);
}

/** Whether a file is locked, by this program or another one. */
async function check(file, options = {}) {
  warnOfNeedless(options);
  const place = await resolved(file, options);
  try {
    const found = await claim(place, options, 0);
    await found.end();
    return false;
  } catch (error) {
    if (error.code === 'ELOCKED') return true;
    throw error;
  }
}

async function claim(place, { lockfilePath }, timeout) {
  const item = { path: lockfilePath ?? place, access: 'writing' };
  try {
    return await obtain([item], { timeout });
  } catch (error) {
    if (!IN_THE_WAY.has(error.code)) throw error;
    throw failure('ELOCKED', error.message, place, error);
  }
}

async function release(place, held) {
  if (held.isOver) throw failure('ERELEASED', `${place} is unlocked already`, place);
  finish(place, held);
  try {
    await held.claim.end();
  } catch (error) {
    throw failure('ECOMPROMISED', error.message, place, error);
  }
}

function compromised(place, held, { onCompromised = throwIt }) {
  if (held.isOver) return;
  finish(place, held);
  const cause = held.claim.error;
  const message = `${place} is not locked any more: ${cause.message}`;
  const error = failure('ECOMPROMISED', message, place, cause);
  queueMicrotask(() => onCompromised(error));
}

function finish(place, held) {
  held.isOver = true;
  if (locks.get(place) === held) locks.delete(place);
}

function throwIt(error) {
  throw error;
}

function failure(code, message, file, cause) {
  const error = new CoordinationError(message, code, { holders: cause?.holders, cause });
  error.file = file;
  return error;
}

/** Returns the path of a file; with `realpath`, which is the default, it must exist. */
async function resolved(file, { realpath = true }) {
  return realpath ? fs.realpath(file) : path.resolve(file);
}

/** Returns how long a schedule of retries waits altogether, in seconds; undefined for ever. */
function secondsOf(schedule = 0) {
  const given = typeof schedule === 'object' ? schedule : { retries: schedule };
  const { retries, factor, minTimeout, maxTimeout, randomize, forever, maxRetryTime } = {
    ...RETRIES,
    ...given,
  };
  const bound = maxRetryTime === undefined ? Infinity : maxRetryTime / 1000;
  if (forever || retries === Infinity) return bound === Infinity ? undefined : bound;
  let sum = 0;
  for (let attempt = 0; attempt < retries && sum < bound; attempt += 1) {
    const stretch = randomize ? 1 + Math.random() : 1;
    sum += Math.min(stretch * Math.max(minTimeout, 1) * factor ** attempt, maxTimeout) / 1000;
  }
  return Math.min(sum, bound);
}

function warnOfNeedless(options) {
  const found = NEEDLESS.filter((name) => options[name] !== undefined);
  if (hasWarned || found.length === 0) return;
  hasWarned = true;
  process.emitWarning(
    `${found.join(', ')}: without effect on lock() and check() of filecoordination. A lock ends ` +
      'with its program, so no lock gets stale.',
    'CoordinationWarning',
  );
}

function unavailable(name) {
  return () => {
    throw new CoordinationError(
      `filecoordination has no ${name}Sync, which would stop the whole program: use "await ` +
        `${name}(file)", or the command "filecoord write FILE -- COMMAND"`,
      'badRequest',
    );
  };
}

module.exports = lock;
module.exports.lock = lock;
module.exports.unlock = unlock;
module.exports.check = check;
module.exports.lockSync = unavailable('lock');
module.exports.unlockSync = unavailable('unlock');
module.exports.checkSync = unavailable('check');
