// SPDX-License-Identifier: Apache-2.0
//
// The process `filecoord session`, as two streams of lines. This file finds and starts it, checks
// that it speaks our version of the protocol, and tells how it ended. What the lines mean is left
// to session.js.
'use strict';

const { spawn } = require('child_process');
const path = require('path');

const { CoordinationError } = require('./errors.js');
const { version } = require('../package.json');

/** The version of the protocol that this package speaks. */
const PROTOCOL = 1;
/** The most bytes of a line, both ways. */
const LINE_LIMIT = 1 << 20;
/** The most bytes that wait for a session that does not read them. */
const UNSENT_LIMIT = 64 << 20;
/** How long the output of a process that has ended may still come, in milliseconds. */
const LATE_OUTPUT = 1000;

/** One process. It calls `onLine(object)` for each line, and `onEnd(error)` once. */
class Child {
  #process;
  #onLine;
  #onEnd;
  /** The lines that wait for the greeting; null once it has come. */
  #unsent = [];
  #unsentLength = 0;
  #rest = '';
  #hasEnded = false;
  /** Which program it is, for messages. */
  #program;

  constructor({ onLine, onEnd }) {
    this.#onLine = onLine;
    this.#onEnd = onEnd;
    // The directory changes below, and the name in the variable may be relative.
    const named = process.env.FILECOORD;
    this.#program = named ? (named.includes('/') ? path.resolve(named) : named) : 'filecoord';
    const label = path.basename(process.argv[1] || 'node');
    this.#process = spawn(this.#program, ['session', `--label=${label}`], {
      stdio: ['pipe', 'pipe', 'inherit'],
      // All paths are sent absolute. So the session keeps no file system of ours busy.
      cwd: '/',
      // A signal for the program's group is the program's: it may want to save first.
      detached: true,
    });
    this.#process.on('error', (error) => this.#end(this.#notStarted(error)));
    this.#process.on('exit', (status, signal) => this.#exited(status, signal));
    const { stdin, stdout } = this.#process;
    // Without descriptors, the process was not started, and "error" follows.
    if (!stdin || !stdout) return;
    // The end of the process says it better.
    stdin.on('error', () => {});
    stdout.on('error', () => {});
    stdout.setEncoding('utf8');
    stdout.on('data', (text) => this.#receive(text));
    stdout.on('close', () => this.#outputClosed());
  }

  /** The process ID; undefined if it was not started. */
  get pid() {
    return this.#process.pid;
  }

  /** Sets whether the process keeps this program alive. */
  keepAlive(isKept) {
    const { stdin, stdout } = this.#process;
    for (const handle of [this.#process, stdin, stdout]) {
      if (handle) handle[isKept ? 'ref' : 'unref']();
    }
  }

  /** Whether it has stopped reading what was sent. */
  get isFull() {
    const length = this.#unsent ? this.#unsentLength : this.#process.stdin.writableLength;
    return length > UNSENT_LIMIT;
  }

  /** Sends one line, at the latest when the greeting has come. */
  send(line) {
    if (!this.#unsent) {
      this.#process.stdin.write(line);
      return;
    }
    this.#unsent.push(line);
    this.#unsentLength += line.length;
  }

  /** Ends its input, upon which it ends. */
  close() {
    this.#process.stdin?.end();
  }

  // Lines

  #receive(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) {
      if (this.#hasEnded) return;
      this.#line(line);
    }
    if (this.#rest.length > LINE_LIMIT) {
      this.#garbled(`a line of more than ${LINE_LIMIT} characters`);
    }
  }

  #line(line) {
    let object;
    try {
      object = JSON.parse(line);
    } catch {
      object = null;
    }
    const isObject = typeof object === 'object' && object !== null && !Array.isArray(object);
    if (this.#unsent) this.#greet(isObject ? object : {}, line);
    else if (isObject) this.#onLine(object);
    else this.#garbled(excerpt(line));
  }

  #greet(greeting, line) {
    if (greeting.session === PROTOCOL) {
      const lines = this.#unsent;
      this.#unsent = null;
      for (const waiting of lines) this.#process.stdin.write(waiting);
      return;
    }
    const what =
      greeting.session === undefined
        ? `says ${excerpt(line)} instead of the version of its session`
        : `speaks session ${JSON.stringify(greeting.session)} (filecoord ${greeting.version})`;
    this.#discard(
      new CoordinationError(
        `this package speaks session ${PROTOCOL} (filecoordination ${version}), but ` +
          `${this.#program} ${what}: install versions of both that belong together`,
        'wrongVersion',
      ),
    );
  }

  /** Nothing that follows can be relied on. */
  #garbled(what) {
    this.#discard(
      new CoordinationError(
        `the session (process ${this.pid}) has sent what is no line of the protocol: ${what}`,
        'lost',
      ),
    );
  }

  // The end

  #discard(error) {
    this.#process.kill();
    this.#end(error);
  }

  #end(error) {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { stdin, stdout } = this.#process;
    stdin?.destroy();
    stdout?.destroy();
    this.keepAlive(false);
    this.#onEnd(error);
  }

  #exited(status, signal) {
    // Its claims have ended with it. What it has said before, and was not read yet, is void.
    if (!this.#unsent) return this.#end(this.#died(status, signal));
    // Perhaps it has said why, and its output comes later than the news of its end.
    const timer = setTimeout(() => this.#end(this.#died(status, signal)), LATE_OUTPUT);
    this.#process.once('close', () => {
      clearTimeout(timer);
      this.#end(this.#died(status, signal));
    });
  }

  #outputClosed() {
    // A session that has closed its output answers nothing any more. If the process has ended, the
    // news of that is on its way, and says more.
    setImmediate(() => {
      if (this.#hasEnded || this.#process.exitCode !== null || this.#process.signalCode) return;
      const timer = setTimeout(
        () => this.#garbled('the end of its output, but it goes on'),
        LATE_OUTPUT,
      ).unref();
      this.#process.once('exit', () => clearTimeout(timer));
    });
  }

  #died(status, signal) {
    const how = signal ? `was ended by ${signal}` : `ended with status ${status}`;
    if (this.#unsent && !signal && status === 64) {
      return new CoordinationError(
        `${this.#program} has no subcommand "session", which this package (filecoordination ` +
          `${version}, session ${PROTOCOL}) needs: install a newer filecoord`,
        'wrongVersion',
      );
    }
    if (this.#unsent) {
      return new CoordinationError(
        `${this.#program} ${how} before its session began: is it filecoord, and what has it said?`,
        'lost',
      );
    }
    return new CoordinationError(
      `the session (process ${this.pid}, ${this.#program}) ${how}: accesses have ended, and ` +
        'what waited was not granted',
      'lost',
    );
  }

  #notStarted(error) {
    const isMissing = ['ENOENT', 'EACCES', 'ENOTDIR'].includes(error.code);
    if (!isMissing) {
      return new CoordinationError(`${this.#program} was not started: ${error.message}`, 'lost', {
        cause: error,
      });
    }
    const where = process.env.FILECOORD
      ? `$FILECOORD names ${this.#program}, which cannot be run`
      : 'there is no filecoord in PATH';
    return new CoordinationError(
      `${where} (${error.code}): install it with ./install from the sources of ` +
        'swift-file-coordination, or with its Debian package, or name the program in $FILECOORD',
      'notInstalled',
      { cause: error },
    );
  }
}

function excerpt(line) {
  return JSON.stringify(line.length > 100 ? `${line.slice(0, 100)}…` : line);
}

module.exports = { Child, LINE_LIMIT };
