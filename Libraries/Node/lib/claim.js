// SPDX-License-Identifier: Apache-2.0
//
// A claim: the wait for it, its items while it is held, its end. If the session dies, the claim is
// lost: its signal is aborted, and each later use of it fails with "lost".
'use strict';

const { CoordinationError } = require('./errors.js');
const { fromMember, inFormOf, toMember } = require('./paths.js');
const { session } = require('./session.js');
const { onAbort } = require('./signals.js');
const { contentsOf, remove, stage } = require('./staging.js');

/** A longer timeout is none. In seconds. */
const LONGEST_TIMEOUT = 1e9;

/** A claim that was granted. */
class Claim {
  name;
  items;
  /** Environment variables for children that work under the claim. */
  environment;
  #session;
  /** Made when somebody wants to listen: it costs as much as the rest of a claim here. */
  #controller = null;
  /** Rejects when the claim is lost; never resolves. */
  lost;
  #rejectLost;
  /** Why it was lost. */
  error = null;
  #ending = null;

  constructor(owner, answer, wanted) {
    this.#session = owner;
    this.name = answer.claim;
    this.environment = { ...answer.environment };
    this.items = wanted.map((item, index) => {
      const Kind = item.access === 'writing' ? WritingItem : Item;
      return new Kind(item.path, answer.items[index], this, index);
    });
    this.lost = new Promise((_, reject) => {
      this.#rejectLost = reject;
    });
    // Without an accessor, the signal and the end of the claim tell it.
    this.lost.catch(() => {});
    owner.addClaim(this);
  }

  /** Aborted when the claim is lost. */
  get signal() {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.error) this.#controller.abort(this.error);
    }
    return this.#controller.signal;
  }

  /** The session has died. */
  lose(error) {
    this.error = error;
    this.#rejectLost(error);
    this.#controller?.abort(error);
  }

  /** Ends the claim. Resolves when the session has ended it; fails if the claim was lost. */
  end() {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end() {
    if (this.error) throw this.error;
    this.#session.removeClaim(this);
    await this.#session.request({ do: 'end', claim: this.name });
  }

  /** Calls `fn` while the claim is held, and ends the claim. */
  async run(fn) {
    this.#session.begin();
    try {
      return await this.#run(fn);
    } finally {
      this.#session.finish();
    }
  }

  async #run(fn) {
    // The session may have died since the grant.
    if (this.error) throw this.error;
    let result;
    try {
      result = await Promise.race([this.lost, fn()]);
    } catch (error) {
      // The error of the accessor counts.
      if (!this.error) await this.end().catch(() => {});
      throw error;
    }
    // The answer proves that the session, and so the claim, was there all the time.
    await this.end();
    return result;
  }

  /** Fails if the claim is not held any more. */
  requireHeld() {
    if (this.error) throw this.error;
    if (this.#ending) throw new CoordinationError('the access has ended', 'unknownClaim');
  }

  /** Sends a request about the claim. */
  request(message) {
    this.requireHeld();
    return this.#session.request({ ...message, claim: this.name });
  }
}

/** An item of a claim. */
class Item {
  /** Where the item was when access was granted. */
  path;
  /** The state of the item when access was granted. */
  token;

  constructor(given, answer) {
    const path = fromMember(answer);
    const inForm = inFormOf(given, path);
    // Text that is almost the path would be another file's: `checkedClaim` refuses.
    this.path = typeof inForm === 'string' && typeof path !== 'string' ? undefined : inForm;
    this.token = answer.token;
  }
}

/** An item that may be written. */
class WritingItem extends Item {
  #claim;
  #index;

  constructor(given, answer, claim, index) {
    super(given, answer);
    this.#claim = claim;
    this.#index = index;
  }

  /**
   * Puts new contents in the place of the file, in one step; null removes it.
   *
   * Mode, owner, lists and attributes are kept. `onlyIf` is the state in which the file must be.
   * Returns the token of what was left; null if the name leads elsewhere by now.
   */
  async replace(contents, { onlyIf } = {}) {
    const data = contents === null ? null : contentsOf(contents);
    const message = { do: 'replace', item: this.#index };
    if (onlyIf !== undefined) message.onlyIf = known(onlyIf);
    if (data === null) return this.#put({ ...message, from: null });
    // Not staged in vain.
    this.#claim.requireHeld();
    const staged = await stage(this.path, data);
    try {
      return await this.#put({ ...message, ...toMember(staged, 'from') });
    } catch (error) {
      await remove(staged);
      throw error;
    }
  }

  async #put(message) {
    const { token, losses = [] } = await this.#claim.request(message);
    for (const loss of losses) {
      process.emitWarning(`${this.path}: ${loss} could not be kept`, 'CoordinationWarning');
    }
    return token ?? null;
  }
}

/** A token; a state that is not known is no condition, and must not be taken for one. */
function known(token) {
  if (token !== null) return token;
  throw new CoordinationError(
    'onlyIf is null: the state is not known, so read the file again', 'stale');
}

/** What a call can be told; a misspelt one would be passed over. */
const OPTIONS = new Set([
  ...['timeout', 'signal', 'label', 'purpose', 'onWaiting', 'onlyIf', 'recursive', 'noFollow'],
  ...['digest', 'options'],
]);

/** Waits for a claim. */
async function obtain(items, options = {}) {
  const unknown = Object.keys(options).find((name) => !OPTIONS.has(name));
  if (unknown) throw new TypeError(`there is no option "${unknown}"`);
  const wanted = items.map(checkedItem);
  if (wanted.length === 0) throw new TypeError('there are no items');
  const { signal, onWaiting } = options;
  if (signal?.aborted) throw cancelled(signal);
  const owner = session();
  let claim;
  let ignoreSignal = () => {};
  try {
    await owner.request(message(wanted, options), {
      sent: (id) => {
        if (!signal) return;
        // It may have been granted in that moment: then it is ended below.
        const cancel = () => owner.request({ do: 'cancel', request: id }).catch(() => {});
        ignoreSignal = onAbort(signal, cancel);
      },
      // Not from within the session, which an error of the caller's function must not disturb.
      waiting: (answer) => onWaiting && queueMicrotask(() => onWaiting(answer.waitsFor ?? [])),
      done: (answer) => {
        claim = new Claim(owner, answer, wanted);
      },
    });
  } catch (error) {
    throw error.code === 'cancelled' && signal?.aborted ? cancelled(signal) : error;
  } finally {
    ignoreSignal();
  }
  return checkedClaim(claim, wanted, signal);
}

/** Ends a claim that was granted, but cannot be used. */
async function checkedClaim(claim, wanted, signal) {
  let problem = null;
  const index = claim.items.findIndex((item) => item.path === undefined);
  if (signal?.aborted) problem = cancelled(signal);
  else if (index >= 0) {
    problem = new CoordinationError(
      `${wanted[index].path} leads to a name that is not UTF-8: give the path as a Buffer`,
      'badPath',
    );
  }
  if (!problem) return claim;
  await claim.end().catch(() => {});
  throw problem;
}

function cancelled(signal) {
  return new CoordinationError('the wait was cancelled', 'cancelled', { cause: signal.reason });
}

function checkedItem(item) {
  if (item?.access !== 'reading' && item?.access !== 'writing') {
    throw new TypeError('the access of an item is "reading" or "writing"');
  }
  return item;
}

/** The request for a claim. */
function message(wanted, { timeout, label, purpose }) {
  const request = { do: 'claim', items: wanted.map(member) };
  if (timeout !== undefined && timeout !== null) {
    if (typeof timeout !== 'number' || !(timeout >= 0)) {
      throw new TypeError('the timeout is a number of seconds, 0 or more');
    }
    if (timeout < LONGEST_TIMEOUT) request.timeout = timeout;
  }
  if (label !== undefined) request.label = String(label);
  if (purpose !== undefined) request.purpose = String(purpose);
  return request;
}

function member({ path, access, options = [], onlyIf, recursive, noFollow, digest }) {
  const item = { ...toMember(path), access };
  if (options.length > 0) item.options = options;
  if (onlyIf !== undefined) item.onlyIf = known(onlyIf);
  if (recursive) item.recursive = true;
  if (noFollow) item.noFollow = true;
  if (digest) item.digest = true;
  return item;
}

module.exports = { obtain };
