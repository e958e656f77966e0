// SPDX-License-Identifier: Apache-2.0
//
// Coordinated access to files, in turn with every program of the user that coordinates. This file
// gathers what the package offers; index.mjs offers the same to `import`.
'use strict';

const { accessing, explain, hold, reading, status, token, writing } = require('./access.js');
const { CoordinationError } = require('./errors.js');
const { check, checkSync, lock, lockSync, unlock, unlockSync } = require('./lockfile.js');
const { present } = require('./presenter.js');
const { update } = require('./update.js');

module.exports = {
  CoordinationError,
  accessing,
  check,
  checkSync,
  explain,
  hold,
  lock,
  lockSync,
  present,
  reading,
  status,
  token,
  unlock,
  unlockSync,
  update,
  writing,
};
