/** Logs, attached processes, statistics, process tables. */
import { expect } from 'vitest';
import { isRuntimeError, TerminalError } from '../../../../src/compose/runtime/errors.js';
import { all, failure, outcome, texts, type Bench } from '../conformance.js';
import { echoes, exitsWithThree, keepsTalking, longLine, obedient, prints, talks } from '../programs.js';

export function output(bench: Bench): void {
  const { backend, proves, created, started, ended } = bench;
  const { containers } = backend;

  proves(['logs'], 'the log has every line, with its stream and its time, in order', async () => {
    const lines = await all(containers.logs(await ended(talks)));
    expect(lines.map(({ stream, line }) => [stream, line])).toEqual([
      ['stdout', 'one'],
      ['stderr', 'two'],
      ['stdout', 'three'],
    ]);
    const times = lines.map(({ time }) => time);
    expect(times.every((time) => !Number.isNaN(Date.parse(time)) && time.endsWith('Z'))).toBe(true);
    expect([...times].sort()).toEqual(times);
  });

  proves(['logs'], 'tail returns the newest lines', async () => {
    const id = await ended(talks);
    expect(texts(await all(containers.logs(id, { tail: 1 })))).toEqual(['three']);
    expect(await all(containers.logs(id, { tail: 0 }))).toEqual([]);
  });

  proves(['logs'], 'since and until limit the log by time', async () => {
    const id = await ended(talks);
    const { finishedAt = '' } = await containers.inspect(id);
    const after = new Date(Date.parse(finishedAt) + 2000);
    const before = new Date(Date.parse(finishedAt) - 60_000);
    expect(await all(containers.logs(id, { since: after }))).toEqual([]);
    expect(texts(await all(containers.logs(id, { since: before })))).toHaveLength(3);
    expect(await all(containers.logs(id, { until: before }))).toEqual([]);
    expect(texts(await all(containers.logs(id, { until: after })))).toHaveLength(3);
  });

  proves(['logs'], 'follow continues until the container ends', async () => {
    const id = await started(keepsTalking);
    const seen: string[] = [];
    for await (const { line } of await containers.logs(id, { follow: true })) {
      seen.push(line);
      if (seen.length === 3) await containers.stop(id, { timeoutSeconds: 20 });
    }
    expect(seen.slice(0, 3)).toEqual(['line 1', 'line 2', 'line 3']);
  });

  proves(['logs'], 'a follower that leaves or aborts ends its stream', async () => {
    const id = await started(keepsTalking);
    for await (const { line } of await containers.logs(id, { follow: true })) {
      expect(line).toBe('line 1');
      break;
    }
    const gaveUp = new AbortController();
    const reason = new Error('gave up');
    const reading = (async () => {
      for await (const line of await containers.logs(id, { follow: true, signal: gaveUp.signal })) {
        if (line.line === 'line 2') gaveUp.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
  });

  proves(['logs'], 'a long line comes in one piece', async () => {
    const [line = '', ...others] = texts(await all(containers.logs(await ended(longLine))));
    expect(line.length).toBe(40_000);
    expect(others).toEqual([]);
  });

  if (bench.real) {
    proves(['logs'], 'with a tty all lines are stdout', async () => {
      const lines = await all(containers.logs(await ended(talks, { tty: true })));
      expect(lines.map(({ stream, line }) => [stream, line.trim()])).toEqual([
        ['stdout', 'one'],
        ['stdout', 'two'],
        ['stdout', 'three'],
      ]);
    });
  }

  proves(['exec'], 'exec separates standard output and error, and returns the exit code', async () => {
    const id = await started(obedient);
    const process = await containers.exec(id, { command: prints.command, environment: { WORD: 'given' } });
    expect(await outcome(process)).toEqual({ stdout: 'out given\n', stderr: 'err\n', exitCode: 5 });
  });

  proves(['exec'], 'exec passes standard input and its end', async () => {
    const id = await started(obedient);
    const process = await containers.exec(id, { command: echoes.command, stdin: input('hello ', 'there\n') });
    expect(await outcome(process)).toEqual({ stdout: 'HELLO THERE\n', stderr: '', exitCode: 4 });
  });

  if (bench.real) {
    proves(['exec'], 'exec runs as the given user, in the given directory, on a tty if asked', async () => {
      const id = await started(obedient);
      const run = async (script: string, more: object): Promise<string> =>
        (await outcome(await containers.exec(id, { command: ['sh', '-c', script], ...more }))).stdout.trim();
      expect(await run('id -u', { user: 'guest' })).toBe('1000');
      expect(await run('pwd', { workingDirectory: '/tmp' })).toBe('/tmp');
      expect(await run('test -t 1 && echo terminal', { tty: true })).toBe('terminal');
    });

    proves(['exec'], 'exec of a missing program has exit code 126 or 127, or is a failure of the engine', async () => {
      const id = await started(obedient);
      const ended = await containers
        .exec(id, { command: ['no-such-program'] })
        .then(outcome)
        .then(
          ({ exitCode }) => exitCode,
          (error: unknown) => (isRuntimeError(error) || error instanceof TerminalError) && error.failure.case,
        );
      expect([126, 127, bench.engineFailure]).toContain(ended);
    });

    proves(['exec'], 'a large output arrives complete', async () => {
      const id = await started(obedient);
      const process = await containers.exec(id, { command: ['sh', '-c', 'head -c 3000000 /dev/zero | tr "\\0" y'] });
      expect((await outcome(process)).stdout).toHaveLength(3_000_000);
    });
  }

  proves(['exec', 'top', 'stats'], 'exec, top and stats need a running container', async () => {
    const id = await ended(exitsWithThree);
    const refusal = { case: 'invalidState', id, expected: 'running', actual: 'exited' };
    expect(await failure(containers.exec(id, { command: ['true'] }))).toEqual(refusal);
    expect(await failure(containers.top(id))).toEqual(refusal);
    expect(await failure(containers.stats(id))).toEqual(refusal);
    expect(await failure(containers.followStats(id))).toEqual(refusal);
  });

  proves(['exec'], 'an aborted exec rejects with the reason', async () => {
    const id = await started(obedient);
    const gaveUp = new AbortController();
    const reason = new Error('gave up');
    const process = await containers.exec(id, { command: keepsTalking.command }, { signal: gaveUp.signal });
    const reading = (async () => {
      for await (const { data } of process.output) if (data.length > 0) gaveUp.abort(reason);
    })();
    if (bench.real) await expect(reading).rejects.toBe(reason);
    else {
      await containers.kill(id);
      gaveUp.abort(reason);
    }
  });

  proves(
    ['startAttached'],
    'a container started in the foreground returns its whole output and its exit code',
    async () => {
      const id = await created(talks);
      expect(await outcome(await containers.startAttached(id))).toEqual({
        stdout: 'one\nthree\n',
        stderr: 'two\n',
        exitCode: 0,
      });
      expect(await failure(containers.startAttached(await started(obedient)))).toMatchObject({ case: 'invalidState' });
    },
  );

  proves(['startAttached'], 'a container started in the foreground reads its standard input', async () => {
    const id = await created(echoes, { openStdin: true, stdinOnce: true });
    const process = await containers.startAttached(id, { stdin: input('to the container\n') });
    expect(await outcome(process)).toEqual({ stdout: 'TO THE CONTAINER\n', stderr: '', exitCode: 4 });
  });

  proves(['attach'], 'an attachment returns later output, and the exit code', async () => {
    const id = await started(keepsTalking);
    const process = await containers.attach(id);
    let text = '';
    let isStopped = false;
    for await (const { data } of process.output) {
      text += Buffer.from(data).toString();
      if (isStopped || text.split('\n').length < 3) continue;
      isStopped = true;
      await containers.stop(id, { timeoutSeconds: 20 });
    }
    expect(text).toMatch(/^line \d+\nline \d+\n/);
    expect(await process.exitCode).toBe(0);
    expect(await failure(containers.attach(id))).toMatchObject({ case: 'invalidState', expected: 'running' });
  });

  proves(['attach'], 'an attachment that is aborted leaves the container running', async () => {
    const id = await started(keepsTalking);
    const gaveUp = new AbortController();
    const reason = new Error('gave up');
    const process = await containers.attach(id, { signal: gaveUp.signal });
    const reading = (async () => {
      for await (const { data } of process.output) if (data.length > 0) gaveUp.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    expect((await containers.inspect(id)).status).toBe('running');
  });

  proves(['stats'], 'stats are counters of resource usage', async () => {
    const id = await started(obedient);
    const sample = await containers.stats(id);
    expect(sample).toMatchObject({ id, processes: expect.any(Number) as number });
    expect(sample.processes).toBeGreaterThan(0);
    if (bench.real) {
      expect(sample.cpuUsageMicroseconds).toBeGreaterThan(0);
      expect(sample.memoryUsageBytes).toBeGreaterThan(0);
      expect(sample.memoryLimitBytes).toBeGreaterThan(sample.memoryUsageBytes);
    }
  });

  proves(['followStats'], 'followed stats continue until the container ends', async () => {
    const id = await started(obedient);
    let count = 0;
    for await (const sample of await containers.followStats(id, { intervalMs: 50 })) {
      expect(sample.id).toBe(id);
      if (++count === 2) await containers.kill(id);
    }
    expect(count).toBeGreaterThanOrEqual(2);
  });

  proves(['followStats'], 'followed stats can be aborted', async () => {
    const gaveUp = new AbortController();
    const reason = new Error('gave up');
    const samples = await containers.followStats(await started(obedient), { intervalMs: 50, signal: gaveUp.signal });
    const reading = (async () => {
      for await (const sample of samples) if (sample.id !== '') gaveUp.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
  });

  proves(['top'], 'top lists the processes, a cell per title', async () => {
    const { titles, processes } = await containers.top(await started(obedient));
    expect(processes.length).toBeGreaterThan(0);
    expect(processes.every((row) => row.length === titles.length)).toBe(true);
    expect(processes.flat().join(' ')).toContain('trap');
  });
}

// eslint-disable-next-line @typescript-eslint/require-await -- input comes as an asynchronous iterable
async function* input(...parts: string[]): AsyncGenerator<Uint8Array, void> {
  for (const part of parts) yield Buffer.from(part);
}
