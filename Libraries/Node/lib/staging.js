// SPDX-License-Identifier: Apache-2.0
//
// New contents on their way into the place of a file. They are written to a file beside it, which
// the session then renames: what is seen under the name is always whole, also after a crash.
'use strict';

const { randomBytes } = require('crypto');
const fs = require('fs/promises');
const { isUint8Array } = require('util').types;

const { CoordinationError } = require('./errors.js');

/** The most bytes of a name in a directory. */
const NAME_LIMIT = 255;
/** How many random digits a name gets, and with how few it is still likely to be free. */
const RANDOM_DIGITS = 16;
const FEWEST_DIGITS = 4;
const SLASH = 0x2f;

/** Returns the bytes of new contents. */
function contentsOf(contents) {
  if (typeof contents === 'string') return Buffer.from(contents, 'utf8');
  if (isUint8Array(contents)) return contents;
  throw new TypeError(
    'new contents are a string (as of JSON.stringify), a Buffer, a Uint8Array, or null for no file',
  );
}

/** Writes a file beside `path`, and returns its path. */
async function stage(path, data) {
  const staged = stagedPath(path);
  // Others get to see it as soon as it has the owner and the mode of the file that it replaces.
  const file = await fs.open(staged, 'wx', 0o600).catch((error) => {
    // The caller knows no other name.
    error.message = error.message.replace(`${staged}`, `${path}`);
    error.path = path;
    throw error;
  });
  try {
    await file.writeFile(data);
    await file.sync();
  } catch (error) {
    await file.close().catch(() => {});
    await remove(staged);
    throw error;
  }
  await file.close();
  return staged;
}

/** Removes what is not put in place. */
async function remove(staged) {
  await fs.unlink(staged).catch((error) => {
    if (error.code === 'ENOENT') return;
    process.emitWarning(`a file was left behind: ${error.message}`, 'CoordinationWarning');
  });
}

/** Returns a path beside `path`: the name, with a dot before it, a dot and digits behind. */
function stagedPath(path) {
  const bytes = Buffer.from(path);
  const start = bytes.lastIndexOf(SLASH) + 1;
  const digits = Math.min(RANDOM_DIGITS, NAME_LIMIT - 2 - (bytes.length - start));
  if (digits < FEWEST_DIGITS) {
    throw new CoordinationError(
      `${bytes}: the name is too long for a file beside it, as it is needed to replace it`,
      'badPath',
    );
  }
  const end = `.${randomBytes(RANDOM_DIGITS).toString('hex').slice(0, digits)}`;
  const staged = Buffer.concat([
    bytes.subarray(0, start),
    Buffer.from('.'),
    bytes.subarray(start),
    Buffer.from(end),
  ]);
  return typeof path === 'string' ? staged.toString('utf8') : staged;
}

module.exports = { contentsOf, remove, stage };
