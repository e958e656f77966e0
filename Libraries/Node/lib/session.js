// SPDX-License-Identifier: Apache-2.0
//
// The session of this program: requests and their answers, claims that are held, presenters. There
// is one at a time, which starts with the first request. If its process dies, every request fails,
// every claim is aborted and every presenter is told; the next request starts another process.
//
// What a line of the session says takes effect at once, before the next line is read: a claim is
// known to be held before the death of the process can be noticed.
'use strict';

const { Child, LINE_LIMIT } = require('./child.js');
const { CoordinationError } = require('./errors.js');

/** The session that new requests use. */
let current = null;

class Session {
  #child;
  /** The requests that wait for their answer, by their identifiers. */
  #requests = new Map();
  #claims = new Map();
  #presenters = new Map();
  #lastID = 0;
  /** How many requests wait and how many accessors run; without any, the program may end. */
  #tasks = 0;
  /** Why it has ended. */
  #error = null;
  #ended;
  #resolveEnded;

  constructor() {
    this.#child = new Child({
      onLine: (line) => this.#receive(line),
      onEnd: (error) => this.#end(error),
    });
    this.#ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.#child.keepAlive(false);
  }

  /** The process ID of the child. */
  get pid() {
    return this.#child.pid;
  }

  // What keeps the program alive

  begin() {
    this.#tasks += 1;
    if (this.#tasks === 1 && !this.#error) this.#child.keepAlive(true);
  }

  finish() {
    this.#tasks -= 1;
    if (this.#tasks === 0 && !this.#error) this.#child.keepAlive(false);
  }

  // Requests

  /**
   * Sends a request, and returns its last answer.
   *
   * `events.sent(id)` gets its identifier, `events.waiting(answer)` answers that are not the last,
   * and `events.done(answer)` the last one, before the next line is read. An error is thrown.
   */
  async request(message, events = {}) {
    try {
      return await this.#send(message, events);
    } catch (error) {
      // So that it names the lines of the program that wait for it.
      Error.captureStackTrace(error);
      throw error;
    }
  }

  #send(message, events) {
    return new Promise((resolve, reject) => {
      // An end or a cancellation must reach a session that is slow to read.
      if (this.#child.isFull && !['end', 'cancel'].includes(message.do)) {
        throw new CoordinationError('the session does not read its requests', 'limitExceeded');
      }
      if (this.#error) throw copy(this.#error);
      const id = (this.#lastID += 1);
      const line = `${JSON.stringify({ id, ...message })}\n`;
      if (Buffer.byteLength(line) >= LINE_LIMIT) {
        throw new CoordinationError('the request names too much for one line', 'badRequest');
      }
      this.#requests.set(id, { resolve, reject, ...events });
      this.begin();
      this.#child.send(line);
      events.sent?.(id);
    });
  }

  /** Sends what needs no answer. */
  tell(message) {
    if (!this.#error) this.#child.send(`${JSON.stringify(message)}\n`);
  }

  #receive(line) {
    if (line.id !== undefined) this.#answer(line);
    else if (line.presenter !== undefined) this.#presenters.get(line.presenter)?.receive(line);
    else if (line.error) {
      process.emitWarning(`filecoord session: ${line.error.message}`, 'CoordinationWarning');
    }
  }

  #answer(line) {
    const request = this.#requests.get(line.id);
    if (!request) return;
    if (line.state === 'waiting') {
      request.waiting?.(line);
      return;
    }
    this.#requests.delete(line.id);
    this.finish();
    if (line.error) {
      request.reject(CoordinationError.from(line.error));
      return;
    }
    request.done?.(line);
    request.resolve(line);
  }

  // What must know if the process dies

  addClaim(claim) {
    this.#claims.set(claim.name, claim);
  }

  removeClaim(claim) {
    this.#claims.delete(claim.name);
  }

  addPresenter(presenter) {
    this.#presenters.set(presenter.name, presenter);
  }

  removePresenter(presenter) {
    this.#presenters.delete(presenter.name);
  }

  #end(error) {
    this.#error = error;
    if (current === this) current = null;
    for (const { reject } of this.#requests.values()) reject(copy(error));
    for (const claim of this.#claims.values()) claim.lose(copy(error));
    for (const presenter of this.#presenters.values()) presenter.end(copy(error));
    this.#requests.clear();
    this.#claims.clear();
    this.#presenters.clear();
    this.#resolveEnded();
  }

  /** Ends the process, and returns when it has ended. */
  close() {
    if (current === this) current = null;
    this.#child.keepAlive(true);
    this.#child.close();
    return this.#ended;
  }
}

function copy(error) {
  return new CoordinationError(error.message, error.code, {
    holders: error.holders,
    cause: error.cause,
  });
}

/** Returns the session of this program, and starts it if there is none. */
function session() {
  try {
    current ??= new Session();
  } catch (error) {
    // Such as an environment that is too large. What is missing is told by an event instead.
    throw new CoordinationError(`filecoord was not started: ${error.message}`, 'lost', {
      cause: error,
    });
  }
  return current;
}

/** Ends the session, if there is one. For tests: a program just ends. */
async function close() {
  await current?.close();
}

module.exports = { close, session };
