// SPDX-License-Identifier: Apache-2.0
//
// What a claim of this package costs, beside what cannot be had for less: a line of JSON that Node
// sends to `cat`, which echoes it. Both are measured in turn, so that both see the same machine.
//
//   node test/compare.js [--rounds 2000] [--server-claim-us N]
//
// N is the median of a claim through the server and its end, in microseconds, as the benchmarks of
// the package measure it. Prints medians and a ratio.
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

async function compare({ rounds, serverClaim }) {
  const root = makePlace();
  const fc = require('..');
  const { close } = require('../lib/session.js');
  const place = path.join(root, 'file');
  fs.writeFileSync(place, 'contents');
  const cat = echo();
  const message = { id: 1, do: 'claim', items: [{ path: place, access: 'writing' }] };
  const [echoes, claims] = [[], []];
  // The first rounds start processes and compile.
  for (let round = -100; round < rounds; round += 1) {
    const one = await timeOf(() => cat.send(message));
    const two = await timeOf(() => fc.writing(place, () => {}));
    if (round >= 0) {
      echoes.push(one);
      claims.push(two);
    }
  }
  await cat.close();
  await close();
  await removePlace(root, PATIENCE);
  const [a, b] = [median(echoes), median(claims)];
  console.log(`${rounds} rounds, medians in microseconds`);
  console.log(`(a) a line through cat, and back    ${a.toFixed(1)}`);
  console.log(`(b) a claim of a session, its end   ${b.toFixed(1)}`);
  if (serverClaim === undefined) {
    console.log(`b / a = ${(b / a).toFixed(2)}; give --server-claim-us for (c)`);
    return;
  }
  console.log(`(c) a claim through the server      ${serverClaim.toFixed(1)}`);
  console.log(`b / (a + c) = ${(b / (a + serverClaim)).toFixed(2)}`);
  console.log(`(b - c) / a = ${((b - serverClaim) / a).toFixed(2)}`);
}

function optionsOf(args) {
  const options = { rounds: 2000, serverClaim: undefined };
  const names = { '--rounds': 'rounds', '--server-claim-us': 'serverClaim' };
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
