// SPDX-License-Identifier: Apache-2.0
//
// Read, change and replace a file under one claim, so that no change of another program gets lost.
'use strict';

const fs = require('fs/promises');

const { itemOf, token } = require('./access.js');
const { obtain } = require('./claim.js');
const { CoordinationError } = require('./errors.js');
const { contentsOf } = require('./staging.js');

/**
 * Changes a file: `fn` gets its contents, null if there is no file, and returns the new ones.
 *
 * Returns the token of what was left; null if the name leads elsewhere by now.
 */
async function update(path, fn, options = {}) {
  if (typeof fn !== 'function') {
    throw new TypeError('the second argument is a function: from the old contents to the new');
  }
  // Presenters save before, so that their text is among the old contents.
  const kinds = [...new Set(['forMerging', ...(options.options ?? [])])];
  const wanted = itemOf('writing', path, { ...options, options: kinds });
  const claim = await obtain([wanted], options);
  return claim.run(() => change(claim.items[0], fn));
}

async function change(item, fn) {
  const old = await contents(item.path);
  const returned = await call(fn, old, item);
  const changed = returned === null ? null : contentsOf(returned);
  const isEqual = old === null || changed === null ? old === changed : old.equals(changed);
  if (isEqual) return item.token;
  // A program that does not coordinate may have changed the file since the grant.
  return item.replace(changed, { onlyIf: item.token });
}

async function call(fn, old, item) {
  try {
    // A copy, because the function may change it and return it.
    return await fn(old && Buffer.from(old));
  } catch (error) {
    // What it could not understand may be half of what a program writes that does not coordinate.
    const now = await token(item.path).catch(() => item.token);
    if (now === item.token) throw error;
    throw new CoordinationError(`${item.path} was changed meanwhile`, 'stale', { cause: error });
  }
}

async function contents(path) {
  try {
    return await fs.readFile(path);
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

module.exports = { update };
