// SPDX-License-Identifier: Apache-2.0
//
// What a claim of this package costs, beside what Node programs do without it: a lock directory that
// is made, looked at and removed, as lock files in Node do at least. A line of JSON that Node sends
// to `cat`, which echoes it, is what no child can do without. All are measured in turn, so that all
// see the same machine. A claim must cost no more than a lock directory.
//
//   node test/compare.js [--rounds 2000]
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { makePlace, removePlace } = require('./place.js');

const PATIENCE = 60_000;

function median(values) {
  const sorted = [...values].sort((one, two) => one - two);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Returns how long `body` takes, in microseconds. */
async function timeOf(body) {
  const begin = process.hrtime.bigint();
  await body();
  return Number(process.hrtime.bigint() - begin) / 1000;
}

/** Returns a function that sends a line of JSON, and returns when it has come back. */
function echo() {
  const cat = spawn('cat', { stdio: ['pipe', 'pipe', 'inherit'] });
  let done = null;
  let rest = '';
  cat.stdout.setEncoding('utf8');
  cat.stdout.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) done(JSON.parse(line));
  });
  const send = (message) =>
    new Promise((resolve) => {
      done = resolve;
      cat.stdin.write(`${JSON.stringify(message)}\n`);
    });
  const close = () => new Promise((resolve) => cat.on('close', resolve) && cat.stdin.end());
  return { send, close };
}

/** Makes a lock directory, looks at it and removes it. */
async function lockDirectory(place) {
  await fs.promises.mkdir(place);
  await fs.promises.stat(place);
  await fs.promises.rmdir(place);
}

async function compare({ rounds }) {
  const root = makePlace();
  const fc = require('..');
  const { close } = require('../lib/session.js');
  const place = path.join(root, 'file');
  fs.writeFileSync(place, 'contents');
  const cat = echo();
  const message = { id: 1, do: 'claim', items: [{ path: place, access: 'writing' }] };
  const [echoes, directories, claims] = [[], [], []];
  // The first rounds start processes and compile.
  for (let round = -100; round < rounds; round += 1) {
    const one = await timeOf(() => cat.send(message));
    const two = await timeOf(() => lockDirectory(`${place}.lock`));
    const three = await timeOf(() => fc.writing(place, () => {}));
    if (round >= 0) {
      echoes.push(one);
      directories.push(two);
      claims.push(three);
    }
  }
  await cat.close();
  await close();
  await removePlace(root, PATIENCE);
  const [a, b, c] = [median(echoes), median(directories), median(claims)];
  console.log(`${rounds} rounds, medians in microseconds`);
  console.log(`(a) a line through cat, and back    ${a.toFixed(1)}`);
  console.log(`(b) a lock directory                ${b.toFixed(1)}`);
  console.log(`(c) a claim of a session, its end   ${c.toFixed(1)}`);
  console.log(`c / b = ${(c / b).toFixed(2)}; c / a = ${(c / a).toFixed(2)}`);
}

function optionsOf(args) {
  const options = { rounds: 2000 };
  const names = { '--rounds': 'rounds' };
  for (let index = 0; index < args.length; index += 2) {
    const name = names[args[index]];
    const value = Number(args[index + 1]);
    if (!name || !(value > 0)) throw new Error(`wrong option: ${args[index]} ${args[index + 1]}`);
    options[name] = value;
  }
  return options;
}

// A test runner that takes each file for a test must not start it.
if (require.main === module && !process.env.NODE_TEST_CONTEXT) {
  compare(optionsOf(process.argv.slice(2)));
}
