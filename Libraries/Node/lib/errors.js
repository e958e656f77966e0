// SPDX-License-Identifier: Apache-2.0
//
// The error of every call of this package. It has a code for programs, a message for people, and
// the processes that are in the way.
'use strict';

/** Why access was not granted, or was lost. */
class CoordinationError extends Error {
  constructor(message, code, { holders = [], cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.holders = holders;
  }

  /** Makes the error in an answer of the session. A code that is not known is kept. */
  static from(answer) {
    const { code = 'badRequest', message = 'the request failed', holders } = answer ?? {};
    return new CoordinationError(String(message), String(code), {
      holders: Array.isArray(holders) ? holders : [],
    });
  }
}

// On the prototype, as for the errors of the language.
Object.defineProperty(CoordinationError.prototype, 'name', {
  value: 'CoordinationError',
  configurable: true,
  writable: true,
});

module.exports = { CoordinationError };
