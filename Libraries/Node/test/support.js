// SPDX-License-Identifier: Apache-2.0
//
// What the tests share: a runtime directory and a home of their own, files to use, and other
// programs, which end with the test. Tests wait for events; time limits only bound a failure.
'use strict';

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const readline = require('node:readline');
const { after } = require('node:test');

const place = require('./place.js');

/** The limit of each wait, in milliseconds: only a failure reaches it. */
const PATIENCE = 60_000;

const root = place.makePlace();
const { program } = place;
const started = new Set();
let count = 0;

// After the environment is set, which the session inherits.
const { close, session } = require('../lib/session.js');

// What a test waits for may keep no program alive, such as the messages of a presenter.
const alive = setInterval(() => {}, 1e6);

after(async () => {
  clearInterval(alive);
  process.env.FILECOORD = program;
  await close();
  await Promise.all([...started].map((other) => other.end()));
  await place.removePlace(root, PATIENCE);
});

/** Returns the path of a new directory. */
function directory() {
  const made = path.join(root, `d${(count += 1)}`);
  fs.mkdirSync(made);
  return made;
}

/** Returns the path of a new file; it does not exist if its contents are null. */
function file(contents = 'contents', name = 'file') {
  const made = path.join(directory(), name);
  if (contents !== null) fs.writeFileSync(made, contents);
  return made;
}

/** Waits until a condition holds that no event tells of. */
function until(condition) {
  return place.until(condition, PATIENCE);
}

/** Waits until so many claims wait for a path. */
async function untilWaiting(item, number = 1) {
  await until(() => {
    const claims = place.statusOf()?.claims ?? [];
    const waiting = claims.filter(
      ({ state, items }) => state !== 'granted' && items.some(({ path: own }) => own === item),
    );
    return waiting.length >= number;
  });
}

/** Another program, whose lines are read as they come. */
class Program {
  constructor(command, args, options = {}) {
    this.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
    this.pid = this.process.pid;
    this.errors = '';
    this.process.stderr.on('data', (text) => {
      this.errors += text;
    });
    this.process.stdin.on('error', () => {});
    this.lines = readline.createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
    this.ended = new Promise((resolve) => {
      this.process.on('close', (status, signal) => resolve({ status, signal }));
    });
    started.add(this);
    this.ended.then(() => started.delete(this));
  }

  /** The next line; undefined at the end. */
  async line() {
    return (await this.lines.next()).value;
  }

  /** Ends its input. */
  endInput() {
    this.process.stdin.end();
    return this.ended;
  }

  /** Ends it, whatever it does. */
  end() {
    this.process.kill('SIGKILL');
    return this.ended;
  }
}

/** Starts filecoord. */
function filecoord(...args) {
  return new Program(program, args);
}

/** Starts a program that holds access until its input ends. */
async function holder(kind, item) {
  const other = filecoord('hold', `--${kind}`, item);
  assert.match((await other.line()) ?? other.errors, /^granted/);
  return other;
}

/** Starts a program in Node, with the package as `fc`, and what else the text needs. */
function script(text, ...args) {
  const source = `const fc = require(${JSON.stringify(path.resolve(__dirname, '..'))});
    (async () => { ${text} })();`;
  return new Program(process.execPath, ['-e', source, ...args]);
}

/** The names in the directory of a file. */
function namesBeside(item) {
  return fs.readdirSync(path.dirname(item)).sort();
}

/** Checks that a promise rejects with a code, and returns the error. */
async function rejects(promise, code) {
  let error;
  await assert.rejects(promise, (found) => {
    error = found;
    assert.equal(found.code, code, found.stack);
    return true;
  });
  return error;
}

/** Returns a promise, and the functions that settle it. */
function gate() {
  let open;
  const opened = new Promise((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

module.exports = {
  PATIENCE,
  Program,
  close,
  directory,
  file,
  filecoord,
  gate,
  holder,
  namesBeside,
  program,
  rejects,
  root,
  script,
  session,
  until,
  untilWaiting,
};
