// SPDX-License-Identifier: Apache-2.0
//
// The package for `import`. It is the same module as for `require`, so that a program that does
// both has one session and one class of errors.

import filecoordination from './index.js';

export const {
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
} = filecoordination;

export default filecoordination;
