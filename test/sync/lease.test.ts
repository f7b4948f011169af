import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isFree, thisHolder } from '../../src/sync/sinks/lease.js';

const now = 1_000_000;
const until = now + 60_000;
/** The id of a process that has ended. */
const gone = spawnSync(process.execPath, ['--version']).pid;
const stored = (change: object): string => JSON.stringify({ ...thisHolder(until), ...change });

describe('a stored lease', () => {
  it('is free when it has expired or cannot be read', () => {
    expect(isFree(stored({}), until)).toBe(true);
    expect(isFree('nonsense', now)).toBe(true);
    expect(isFree(stored({ until: 'soon' }), now)).toBe(true);
  });

  it('is taken while its holder runs, in this process or another', () => {
    expect(isFree(stored({}), now)).toBe(false);
    expect(isFree(stored({ pid: process.ppid }), now)).toBe(false);
  });

  it('is free as soon as its holder has ended, if this process can see the holder', () => {
    expect(isFree(stored({ pid: gone }), now)).toBe(thisHolder(until).pids !== null);
  });

  it.each([
    ['of another container with the same host name', 'a1b2 pid:[4026532999]'],
    ['of a holder that does not know where its id is valid', null],
  ])('%s is taken until it expires, regardless of the process ids here', (_what, pids) => {
    expect(isFree(stored({ pids, pid: gone }), now)).toBe(false);
    expect(isFree(stored({ pids, pid: gone }), until)).toBe(true);
  });

  it('of an earlier version, with a host name only, is taken until it expires', () => {
    expect(isFree(JSON.stringify({ host: hostname(), pid: gone, until }), now)).toBe(false);
  });
});
