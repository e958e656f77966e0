// SPDX-License-Identifier: Apache-2.0
//
// Access for the time of a function, or until it is released; and what needs no access: tokens, and
// looking at who is in the way.
'use strict';

const { obtain } = require('./claim.js');
const { toMember } = require('./paths.js');
const { session } = require('./session.js');

/** Waits for access to read an item, and calls `fn(item, access)` with it. */
function reading(path, options, fn) {
  return single('reading', path, options, fn);
}

/** Waits for access to write an item, and calls `fn(item, access)` with it. */
function writing(path, options, fn) {
  return single('writing', path, options, fn);
}

async function single(kind, path, ...rest) {
  const [options, fn] = optionsAndFunction(rest);
  const claim = await obtain([itemOf(kind, path, options)], options);
  return claim.run(() => fn(claim.items[0], accessOf(claim)));
}

/** Waits for access to several items in one claim, and calls `fn(items, access)` with it. */
async function accessing(items, ...rest) {
  const [options, fn] = optionsAndFunction(rest);
  const claim = await obtain(items, options);
  return claim.run(() => fn(claim.items, accessOf(claim)));
}

/** The item of a call that has only one, whose options are also the item's. */
function itemOf(access, path, { options, onlyIf, recursive, noFollow, digest }) {
  return { path, access, options, onlyIf, recursive, noFollow, digest };
}

function optionsAndFunction([options, fn]) {
  if (typeof options === 'function' && fn === undefined) return [{}, options];
  if (typeof fn !== 'function') {
    throw new TypeError('the last argument is a function, which runs while access is had');
  }
  return [options ?? {}, fn];
}

/** What an accessor can know of its access, beside the items. */
function accessOf(claim) {
  return {
    get signal() {
      return claim.signal;
    },
    environment: claim.environment,
  };
}

/** Access that lasts until it is released, at the latest until the program ends. */
class Hold {
  #claim;

  constructor(claim) {
    this.#claim = claim;
  }

  get items() {
    return this.#claim.items;
  }

  /** Aborted if the access is lost, because the session has died. */
  get signal() {
    return this.#claim.signal;
  }

  /** Variables for a child that works under the access, beside its own. */
  get environment() {
    return this.#claim.environment;
  }

  /** Ends the access. Rejects with "lost" if it had ended before. A second call has no effect. */
  release() {
    return this.#claim.end();
  }
}

// Node 18 has none at first.
if (Symbol.asyncDispose) {
  Hold.prototype[Symbol.asyncDispose] = function dispose() {
    return this.release();
  };
}

/** Waits for access to items. The caller releases it. */
async function hold(items, options = {}) {
  return new Hold(await obtain(Array.isArray(items) ? items : [items], options));
}

/** Returns the token of the state of an item that is to be seen now. Take it before you read. */
async function token(path, { digest } = {}) {
  const member = toMember(path);
  const request = { do: 'token', paths: [member.path ?? member] };
  if (digest) request.digest = true;
  const { items } = await session().request(request);
  return items[0].token;
}

/** Returns who holds, who waits and who presents: what `filecoord status --json` prints. */
async function status() {
  return (await session().request({ do: 'status' })).status;
}

/** Returns why an access would wait now: what `filecoord explain --json` prints. */
async function explain(path) {
  return (await session().request({ do: 'explain', ...toMember(path) })).explanation;
}

module.exports = { Hold, accessing, explain, hold, itemOf, reading, status, token, writing };
