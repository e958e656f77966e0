// SPDX-License-Identifier: Apache-2.0
//
// Presenters: an object of the program's is asked before other programs use a file, and told after
// they did. Its methods are called one at a time, in the order of the messages. Only methods that
// it has are asked for, because each question costs other programs a wait.
'use strict';

const { fromMember, inFormOf, toMember } = require('./paths.js');
const { session } = require('./session.js');

/** The messages, and the methods that they call. */
const QUESTIONS = {
  'relinquishPresentedItem(toReader:)': 'relinquishToReader',
  'relinquishPresentedItem(toWriter:)': 'relinquishToWriter',
  savePresentedItemChanges: 'save',
  accommodatePresentedItemDeletion: 'accommodateDeletion',
  'accommodatePresentedSubitemDeletion(at:)': 'accommodateSubitemDeletion',
};
const NEWS = {
  'reacquire(fromReader)': 'reacquireFromReader',
  'reacquire(fromWriter)': 'reacquireFromWriter',
  'presentedItemDidMove(to:)': 'didMove',
  presentedItemDidChange: 'didChange',
  'presentedSubitemDidAppear(at:)': 'subitemDidAppear',
  'presentedSubitemDidChange(at:)': 'subitemDidChange',
  'presentedSubitem(at:didMoveTo:)': 'subitemDidMove',
};
/** Methods that are called only after a question, and the question. */
const NEEDED = {
  reacquireFromReader: 'relinquishPresentedItem(toReader:)',
  reacquireFromWriter: 'relinquishPresentedItem(toWriter:)',
};
/** The questions that cannot be refused. */
const UNREFUSABLE = new Set(['relinquishToReader', 'relinquishToWriter']);
/** The news of which only the last counts while the ones before wait. */
const MERGED = new Set(['didChange', 'subitemDidChange']);

/** A presenter that is registered. */
class Presenter {
  name;
  /** Where its item is by now. */
  path;
  /** For accesses of its own, about which it is not asked. */
  purpose;
  #session;
  #given;
  #methods;
  #queue = [];
  #isBusy = false;
  #isClosed = false;
  /** Resolves when no answer is wanted any more. */
  #closed;
  #resolveClosed;

  constructor(owner, answer, given, methods) {
    this.#session = owner;
    this.#given = given;
    this.#methods = methods;
    this.name = answer.presenter;
    this.purpose = answer.purpose ?? null;
    const path = fromMember(answer) ?? fromMember(toMember(given));
    this.path = inFormOf(given, path);
    this.#closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    owner.addPresenter(this);
  }

  /** Ends the registration. No method starts after this; more than once has no effect. */
  async close() {
    if (this.#isClosed) return;
    this.#stop();
    await this.#session.request({ do: 'remove', presenter: this.name });
  }

  #stop() {
    this.#isClosed = true;
    this.#queue = [];
    this.#session.removePresenter(this);
    this.#resolveClosed();
  }

  /** The session has died. */
  end(error) {
    this.#stop();
    // An error in it is the program's, and not the session's.
    if (this.#has('didEnd')) queueMicrotask(() => this.#methods.didEnd(error));
  }

  #has(method) {
    return typeof this.#methods[method] === 'function';
  }

  /** A message of the session. */
  receive(line) {
    const message = this.#message(line);
    const last = this.#queue.at(-1);
    if (MERGED.has(message.method) && last?.method === message.method) {
      const isSame = JSON.stringify(last.paths) === JSON.stringify(message.paths);
      if (isSame) this.#queue.pop();
    }
    this.#queue.push(message);
    if (!this.#isBusy) this.#run();
  }

  #message(line) {
    const { message, question } = line;
    const method = QUESTIONS[message] ?? NEWS[message];
    const names = method === 'subitemDidMove' ? ['oldURL', 'newURL'] : ['url'];
    const paths = names
      .map((name) => inFormOf(this.#given, fromMember(line, name)))
      .filter((path) => path !== undefined);
    if (method === 'didMove') [this.path] = paths;
    const info = { presenter: this };
    if (NEWS[message]) {
      info.uncoordinated = line.origin === 'uncoordinated';
      for (const key of ['exists', 'pid', 'label']) {
        if (line[key] !== undefined) info[key] = line[key];
      }
    }
    return { method, paths, info, question };
  }

  async #run() {
    this.#isBusy = true;
    // Not from within the session.
    await null;
    while (this.#queue.length > 0) {
      const message = this.#queue.shift();
      // The program does not end while another one waits for its answer.
      this.#session.begin();
      try {
        await Promise.race([this.#call(message), this.#closed]);
      } finally {
        this.#session.finish();
      }
    }
    this.#isBusy = false;
  }

  async #call({ method, paths, info, question }) {
    const answer = { do: 'answer', question };
    try {
      if (this.#has(method)) await this.#methods[method](...paths, info);
    } catch (error) {
      // Where no other program can be told, the error is this program's own.
      if (question === undefined || UNREFUSABLE.has(method)) throwLater(error);
      else answer.error = String(error?.message ?? error);
    }
    if (question !== undefined && !this.#isClosed) this.#session.tell(answer);
  }
}

/** Throws an error outside of all calls, as an event's listener does. */
function throwLater(error) {
  queueMicrotask(() => {
    throw error;
  });
}

/** Registers an object for a file or directory, which need not exist. */
async function present(path, methods) {
  const has = (method) => typeof methods?.[method] === 'function';
  const answers = Object.keys(QUESTIONS).filter(
    (message) =>
      has(QUESTIONS[message]) ||
      Object.entries(NEEDED).some(([method, needed]) => needed === message && has(method)),
  );
  const request = { do: 'present', ...toMember(path), answers };
  if (methods?.label !== undefined) request.label = String(methods.label);
  const owner = session();
  let presenter;
  await owner.request(request, {
    done: (answer) => {
      presenter = new Presenter(owner, answer, path, methods ?? {});
    },
  });
  return presenter;
}

module.exports = { present };
