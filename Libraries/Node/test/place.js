// SPDX-License-Identifier: Apache-2.0
//
// A place for one run: a runtime directory and a home of its own, in the environment of this
// process and of those that it starts, and the end of the server that such a run may leave.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

/** The program that is tested. */
const program = process.env.FILECOORD
  ? path.resolve(process.env.FILECOORD)
  : path.resolve(__dirname, '../../../.build/debug/filecoord');

/** Variables that lead to claims or files of the user. */
const FOREIGN = ['FILECOORD_CLAIM', 'FILECOORD_HOLD', 'FILECOORD_PURPOSE', 'XDG_DATA_HOME'];

/** Makes the place, and returns its directory. */
function makePlace() {
  // A short path: a socket's address has room for 108 bytes.
  const root = fs.realpathSync(fs.mkdtempSync('/tmp/fcn-'));
  for (const name of ['run', 'home']) fs.mkdirSync(path.join(root, name), { mode: 0o700 });
  usePlace(root);
  return root;
}

/** Uses a place that another process has made. */
function usePlace(root) {
  process.env.FILECOORD = program;
  process.env.FILECOORDINATION_RUNTIME_DIR = path.join(root, 'run');
  process.env.HOME = path.join(root, 'home');
  for (const name of FOREIGN) delete process.env[name];
}

/** Returns what `filecoord status --json` prints, or null if there is no server. */
function statusOf() {
  const { stdout } = spawnSync(program, ['status', '--json'], { encoding: 'utf8' });
  return stdout ? JSON.parse(stdout) : null;
}

/** Waits until a condition holds that no event tells of; `patience` is in milliseconds. */
async function until(condition, patience) {
  const limit = Date.now() + patience;
  while (!(await condition())) {
    if (Date.now() >= limit) throw new Error(`waited in vain for ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function isThere(pid) {
  return fs.existsSync(`/proc/${pid}`);
}

/** Ends the server, once all programs have ended, and removes the place. */
async function removePlace(root, patience) {
  const pid = statusOf()?.arbiter?.pid;
  if (pid && isThere(pid)) {
    process.kill(pid, 'SIGTERM');
    await until(() => !isThere(pid), patience);
  }
  fs.rmSync(root, { recursive: true });
}

module.exports = { makePlace, program, removePlace, statusOf, until, usePlace };
