// SPDX-License-Identifier: Apache-2.0
//
// Paths on their way to the session and back. They are made absolute here, because the program may
// change its working directory after the session has started. Nothing else about them is changed:
// ".." after a symbolic link is the kernel's business. A name that is not UTF-8 travels
// percent-encoded, in a member whose name ends with "Bytes".
'use strict';

const { isUint8Array } = require('util').types;
const { fileURLToPath } = require('url');

const { CoordinationError } = require('./errors.js');

/** Returns the path as absolute text, or as bytes if it is not UTF-8. */
function absolute(path) {
  if (path instanceof URL) return absolute(fileURLToPath(path));
  if (isUint8Array(path)) {
    const bytes = Buffer.from(path.buffer, path.byteOffset, path.byteLength);
    const text = bytes.toString('utf8');
    if (Buffer.from(text, 'utf8').equals(bytes)) return absolute(text);
    check(bytes.length, bytes.includes(0), 'a path');
    if (bytes[0] === 0x2f) return Buffer.from(bytes);
    return Buffer.concat([Buffer.from(`${process.cwd()}/`), bytes]);
  }
  if (typeof path !== 'string') {
    throw new TypeError('a path is a string, a Buffer or a file: URL');
  }
  check(path.length, path.includes('\0'), JSON.stringify(path));
  // A text with half of a surrogate pair has no bytes.
  if (/[\ud800-\udfff]/.test(path) && Buffer.from(path, 'utf8').toString('utf8') !== path) {
    throw new CoordinationError(`${JSON.stringify(path)} is not Unicode text`, 'badPath');
  }
  return path.startsWith('/') ? path : `${process.cwd()}/${path}`;
}

function check(length, hasNul, name) {
  if (length === 0) throw new CoordinationError('the path is empty', 'badPath');
  if (hasNul) throw new CoordinationError(`${name} contains a NUL byte`, 'badPath');
}

/** Returns the member of a request that names a path. */
function toMember(path, name = 'path') {
  const place = absolute(path);
  return typeof place === 'string' ? { [name]: place } : { [`${name}Bytes`]: encode(place) };
}

/** Returns the path that a member of an answer names: text, or bytes if it is not UTF-8. */
function fromMember(object, name = 'path') {
  const encoded = object[`${name}Bytes`];
  return typeof encoded === 'string' ? decode(encoded) : object[name];
}

/** Returns the path in the form that the caller uses; text that is not UTF-8 becomes U+FFFD. */
function inFormOf(given, path) {
  if (path === undefined) return undefined;
  return isUint8Array(given) ? Buffer.from(path) : path.toString('utf8');
}

function encode(bytes) {
  let text = '';
  for (const byte of bytes) {
    const isPlain = byte > 0x20 && byte < 0x7f && byte !== 0x25;
    text += isPlain
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

function decode(text) {
  const bytes = [];
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '%') {
      bytes.push(Number.parseInt(text.slice(index + 1, index + 3), 16));
      index += 2;
    } else {
      bytes.push(text.charCodeAt(index));
    }
  }
  return Buffer.from(bytes);
}

module.exports = { absolute, fromMember, inFormOf, toMember };
