// SPDX-License-Identifier: Apache-2.0
//
// Locks under load, while holders are killed: no two of them may ever have one file. Processes
// lock one file of several and write into a log of their own when they begin and end, by a clock
// that all processes share. A parent kills some that hold a lock. At the end the logs are merged.
//
//   node test/stress.js [--processes 8] [--seconds 60] [--kills 100] [--files 4] [--seed N]
//
// Ends with 1 if two intervals of one file overlap, or if too few holders were killed. Not a part
// of `node --test`.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const readline = require('node:readline');

const { makePlace, removePlace, until, usePlace } = require('./place.js');

/** How many calls of one process wait at once: those of one program exclude each other, too. */
const TASKS = 2;
const PATIENCE = 60_000;

/** A generator of numbers from 0 to 1, which a seed repeats. */
function randomBy(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The time of CLOCK_MONOTONIC, which all processes share, in nanoseconds. */
const now = () => process.hrtime.bigint();

// The processes that lock

async function work(root, log, files, seed) {
  usePlace(root);
  const fc = require('..');
  const random = randomBy(seed);
  const records = fs.openSync(log, 'a');
  const names = Array.from({ length: files }, (_, index) => path.join(root, `file${index}`));
  let isOver = false;
  process.stdin.on('end', () => {
    isOver = true;
  });
  process.stdin.resume();

  // Written at once: what is in a buffer would die with the process.
  const record = (kind, task, index) => {
    fs.writeSync(records, `${kind} ${task} ${index} ${now()}\n`);
  };
  const use = async (task, index) => {
    record('begin', task, index);
    if (random() < 0.5) await new Promise((resolve) => setTimeout(resolve, random() * 4));
    else await new Promise(setImmediate);
    record('end', task, index);
  };
  const run = async (task) => {
    while (!isOver) {
      const index = Math.floor(random() * files);
      if (random() < 0.5) {
        const release = await fc.lock(names[index], { retries: { forever: true } });
        await use(task, index);
        await release();
      } else {
        await fc.writing(names[index], () => use(task, index));
      }
    }
  };
  const tasks = Array.from({ length: TASKS }, (_, task) => run(task));
  console.log('works');
  await Promise.all(tasks);
}

// The check

/** Returns the intervals in a log, and whether one of them was cut off by the death at `killed`. */
function intervalsOf(text, name, killed) {
  const open = new Map();
  const found = [];
  let last = 0n;
  for (const line of text.split('\n')) {
    // A line that was cut off while it was written ends no interval.
    const [, kind, task, index, time] = /^(begin|end) (\d+) (\d+) (\d+)$/.exec(line) ?? [];
    if (!kind) continue;
    last = BigInt(time);
    if (kind === 'begin') open.set(task, { name, index, begin: last });
    else {
      found.push({ ...open.get(task), end: last });
      open.delete(task);
    }
  }
  const hasHeld = open.size > 0;
  // It may have run on for a moment after the signal was sent.
  const death = killed === undefined || killed < last ? last : killed;
  for (const interval of open.values()) found.push({ ...interval, end: death });
  return { intervals: found, hasHeld };
}

/** Returns the pairs of intervals of one file that overlap. */
function overlapsOf(intervals) {
  const found = [];
  const latest = new Map();
  const sorted = [...intervals].sort((one, two) => (one.begin < two.begin ? -1 : 1));
  for (const interval of sorted) {
    const before = latest.get(interval.index);
    if (before && interval.begin < before.end) found.push([before, interval]);
    if (!before || interval.end > before.end) latest.set(interval.index, interval);
  }
  return found;
}

// The parent

class Worker {
  constructor(root, number, files, seed) {
    this.name = `worker ${number}`;
    this.log = path.join(root, `log${number}`);
    fs.writeFileSync(this.log, '');
    const args = [__filename, 'work', root, this.log, files, seed].map(String);
    this.process = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.process.stdin.on('error', () => {});
    this.hasEnded = false;
    this.ended = new Promise((resolve) => {
      this.process.on('close', (status) => {
        this.hasEnded = true;
        resolve(status);
      });
    });
    const lines = readline.createInterface({ input: this.process.stdout });
    this.works = Promise.race([
      new Promise((resolve) => lines.once('line', resolve)),
      this.ended.then(() => {
        throw new Error(`${this.name} has ended early`);
      }),
    ]);
    // Whoever waits for it hears of it.
    this.works.catch(() => {});
  }

  /** Kills it, whatever it does. */
  async kill() {
    this.killed = now();
    this.process.kill('SIGKILL');
    await this.ended;
  }

  get isStopped() {
    try {
      return fs.readFileSync(`/proc/${this.process.pid}/stat`, 'utf8').includes(') T ');
    } catch {
      // It has ended, and the news of that is on its way.
      return false;
    }
  }

  /** Kills it if it has a lock. Stops it before, because it may not have it for long. */
  async killHolder() {
    this.process.kill('SIGSTOP');
    await until(() => this.hasEnded || this.isStopped, PATIENCE);
    if (this.hasEnded) throw new Error(`${this.name} has ended early`);
    const holds = intervalsOf(fs.readFileSync(this.log, 'utf8'), this.name).hasHeld;
    if (holds) await this.kill();
    else this.process.kill('SIGCONT');
    return holds;
  }

  end() {
    this.process.stdin.end();
    return this.ended;
  }

  get intervals() {
    return intervalsOf(fs.readFileSync(this.log, 'utf8'), this.name, this.killed);
  }
}

/** Kills any process, or one that has a lock. Returns which; -1 if none had one. */
async function killOne(alive, random) {
  const first = Math.floor(random() * alive.length);
  if (random() < 0.2) {
    await alive[first].kill();
    return first;
  }
  for (let step = 0; step < alive.length; step += 1) {
    const index = (first + step) % alive.length;
    if (await alive[index].killHolder()) return index;
  }
  return -1;
}

async function stress({ processes, seconds, kills, files, seed }) {
  const root = makePlace();
  const all = [];
  try {
    return await stressIn(root, all, { processes, seconds, kills, files, seed });
  } finally {
    await Promise.all(all.map((worker) => worker.hasEnded || worker.kill()));
    await removePlace(root, PATIENCE);
  }
}

async function stressIn(root, all, { processes, seconds, kills, files, seed }) {
  const random = randomBy(seed);
  for (let index = 0; index < files; index += 1) {
    fs.writeFileSync(path.join(root, `file${index}`), '');
  }
  const start = () => {
    const worker = new Worker(root, all.length, files, Math.floor(random() * 2 ** 32));
    all.push(worker);
    return worker;
  };
  const alive = Array.from({ length: processes }, start);
  await Promise.all(alive.map((worker) => worker.works));

  const begin = now();
  const end = begin + BigInt(seconds) * 1_000_000_000n;
  let holders = 0;
  let victims = 0;
  while (now() < end) {
    // So that there is time for those that have no lock, too.
    const rest = Number(end - now()) / 1e6;
    const mean = holders < kills ? (rest / (kills - holders)) * 0.3 : rest;
    await new Promise((resolve) => setTimeout(resolve, Math.min(random() * 2 * mean, rest)));
    if (holders >= kills) continue;
    const index = await killOne(alive, random);
    if (index < 0) continue;
    victims += 1;
    if (alive[index].intervals.hasHeld) holders += 1;
    alive[index] = start();
  }
  const statuses = await Promise.all(alive.map((worker) => worker.end()));

  const intervals = all.flatMap((worker) => worker.intervals.intervals);
  const overlaps = overlapsOf(intervals);
  console.log(
    `seed ${seed}: ${processes} processes, ${seconds} s, ${files} files: ` +
      `${intervals.length} locks, ${victims} killed, of which ${holders} had a lock, ` +
      `${overlaps.length} overlaps`,
  );
  for (const [one, two] of overlaps.slice(0, 10)) console.log('overlap:', one, two);
  const failed = statuses.filter((status) => status !== 0).length;
  if (failed > 0) console.log(`${failed} processes failed`);
  if (holders < kills) console.log(`fewer than ${kills} holders were killed`);
  return overlaps.length === 0 && failed === 0 && holders >= kills && intervals.length > 0;
}

function optionsOf(args) {
  const options = { processes: 8, seconds: 60, kills: 100, files: 4 };
  options.seed = Math.floor(Math.random() * 2 ** 32);
  for (let index = 0; index < args.length; index += 2) {
    const name = args[index].replace(/^--/, '');
    const value = Number(args[index + 1]);
    if (!(name in options) || !Number.isSafeInteger(value) || value < 0) {
      throw new Error(`wrong option: ${args[index]} ${args[index + 1]}`);
    }
    options[name] = value;
  }
  return options;
}

async function main() {
  const [mode, root, log, files, seed] = process.argv.slice(2);
  if (mode === 'work') return work(root, log, Number(files), Number(seed));
  process.exitCode = (await stress(optionsOf(process.argv.slice(2)))) ? 0 : 1;
}

// A test runner that takes each file for a test must not start it.
if (require.main === module && !process.env.NODE_TEST_CONTEXT) main();

module.exports = { intervalsOf, overlapsOf };
