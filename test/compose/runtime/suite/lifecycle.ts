/** Preconditions and resulting statuses, as the compose error catalogue and lifecycle.ts have them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { durableStopMarks } from '../../../../src/compose/runtime/state.js';
import { eventually, failure, type Bench } from '../conformance.js';
import { exitsWithThree, obedient, signalled, slow, stubborn } from '../programs.js';

const nobody = 'plt-nobody-has-this-name';

export function lifecycle(bench: Bench): void {
  const { backend, proves, created, started, ended, status } = bench;
  const { containers, internal } = backend;

  proves(['createContainer', 'inspectContainer'], 'a created container is as specified, and created', async () => {
    const spec = bench.spec(obedient, { environment: { WORD: 'some word' }, labels: { role: 'test' } });
    const { id } = await containers.create(spec);
    expect(await containers.inspect(id)).toMatchObject({
      id,
      name: spec.name,
      image: spec.image,
      status: 'created',
      command: spec.command,
      environment: { WORD: 'some word' },
      labels: { ...bench.labels, role: 'test' },
    });
    expect((await containers.inspect(spec.name)).id).toBe(id);
  });

  proves(['pause', 'unpause'], 'a paused container is running, and resumes', async () => {
    const id = await started(obedient);
    await containers.pause(id);
    expect(await containers.inspect(id)).toMatchObject({ status: 'running', condition: 'paused' });
    expect((await failure(containers.pause(id))).case).toBe(bench.engineFailure);
    await containers.unpause(id);
    expect((await containers.inspect(id)).condition).toBeUndefined();
    await containers.stop(id, { timeoutSeconds: 20 });
    expect(await failure(containers.pause(id))).toMatchObject({ case: 'invalidState', expected: 'running' });
  });

  proves(['createContainer'], 'a missing image is imageNotFound', async () => {
    const reference = 'localhost/plumbline-none:1';
    expect(await failure(containers.create(bench.spec(obedient, { image: reference })))).toEqual({
      case: 'imageNotFound',
      reference,
    });
  });

  proves(['createContainer'], 'a name in use is alreadyExists', async () => {
    const spec = bench.spec(obedient);
    await containers.create(spec);
    expect(await failure(containers.create(spec))).toEqual({ case: 'alreadyExists', id: spec.name });
  });

  proves(['rename'], 'a renamed container keeps its id, and its old name is free', async () => {
    const [old, name] = [bench.fresh('old'), bench.fresh('new')];
    const id = await created(obedient, { name: old });
    await internal.rename(old, name);
    expect(await containers.inspect(name)).toMatchObject({ id, name });
    await created(obedient, { name: old });
    expect(await failure(internal.rename(id, old))).toEqual({ case: 'alreadyExists', id: old });
    expect(await failure(internal.rename(bench.fresh('none'), old))).toMatchObject({ case: 'notFound' });
  });

  proves(['start'], 'start brings created, stopped and exited containers to running', async () => {
    const id = await started(obedient);
    const first = await containers.inspect(id);
    expect(first.status).toBe('running');
    expect(first.exitCode).toBeUndefined();
    await containers.stop(id);
    await containers.start(id);
    expect(await status(id)).toBe('running');
    await containers.kill(id);
    await containers.start(id);
    const last = await containers.inspect(id);
    expect(last.status).toBe('running');
    expect(Date.parse(last.startedAt ?? '')).toBeGreaterThan(Date.parse(first.startedAt ?? ''));
  });

  proves(['start'], 'starting a running container is invalidState', async () => {
    const id = await started(obedient);
    expect(await failure(containers.start(id))).toEqual({
      case: 'invalidState',
      id,
      expected: 'stopped',
      actual: 'running',
    });
  });

  proves(['stop'], 'stop leaves a container stopped, with the exit code of the process', async () => {
    const id = await started(obedient);
    await containers.stop(id, { timeoutSeconds: 20 });
    expect(await containers.inspect(id)).toMatchObject({ status: 'stopped', exitCode: 0 });
  });

  proves(
    ['stop'],
    'a process that ignores the signal is killed after the timeout, and the container is stopped',
    async () => {
      const id = await started(stubborn);
      await containers.stop(id, { timeoutSeconds: 1 });
      expect(await containers.inspect(id)).toMatchObject({ status: 'stopped', exitCode: 137 });
    },
  );

  proves(['stop'], 'during a stop the container is stopping, and cannot be stopped again', async () => {
    const id = await started(stubborn);
    const stop = containers.stop(id, { timeoutSeconds: 3 });
    await eventually(async () => (await status(id)) === 'stopping');
    const again = await failure(containers.stop(id));
    await stop;
    expect(again).toEqual({ case: 'invalidState', id, expected: 'running', actual: 'stopping' });
  });

  proves(
    ['stop'],
    'a stop whose caller leaves continues in the engine: the container is stopping, then stopped',
    async () => {
      const id = await started(slow);
      const caller = new AbortController();
      const stop = containers.stop(id, { timeoutSeconds: 20, signal: caller.signal });
      stop.catch(() => undefined); // It is awaited below.
      for await (const { line } of await containers.logs(id, { follow: true })) if (line === 'asked') break;
      caller.abort();
      await expect(stop).rejects.toBe(caller.signal.reason);
      expect(await status(id)).toBe('stopping');
      expect(await internal.awaitExit(id, { timeoutSeconds: 30 })).toMatchObject({ exitCode: 0 });
      expect(await status(id)).toBe('stopped');
    },
  );

  proves(['stop'], 'a stop whose caller leaves before the engine is asked changes nothing', async () => {
    const id = await started(obedient);
    await containers.stop(await started(obedient)); // The first stop of a process lists all containers.
    const seen = await containers.inspect(id);
    const signal = AbortSignal.abort();
    await expect(containers.stop(id, { seen, signal })).rejects.toBe(signal.reason);
    expect(await status(id)).toBe('running');
  });

  proves(['stop', 'kill'], 'a kill during a stop leaves the container exited', async () => {
    const id = await started(stubborn);
    const stop = containers.stop(id, { timeoutSeconds: 20 });
    await eventually(async () => (await status(id)) === 'stopping');
    await containers.kill(id);
    await stop.catch(() => undefined); // Engines differ in what they tell the one who asked for the stop.
    expect(await containers.inspect(id)).toMatchObject({ status: 'exited', exitCode: 137 });
  });

  proves(['stop'], 'stopping a container that does not run is invalidState', async () => {
    const fresh = await created(obedient);
    expect(await failure(containers.stop(fresh))).toMatchObject({ expected: 'running', actual: 'created' });
    const over = await ended(exitsWithThree);
    expect(await failure(containers.stop(over))).toMatchObject({ expected: 'running', actual: 'exited' });
  });

  proves(['start', 'inspectContainer'], 'a process that ends by itself has exited with its code', async () => {
    const id = await ended(exitsWithThree);
    expect(await containers.inspect(id)).toMatchObject({ status: 'exited', exitCode: 3 });
  });

  proves(['kill'], 'kill leaves a container exited, with 128 + 9', async () => {
    const id = await started(obedient);
    await containers.kill(id);
    expect(await containers.inspect(id)).toMatchObject({ status: 'exited', exitCode: 137 });
  });

  proves(['kill'], 'kill sends the named signal, in any notation', async () => {
    for (const killSignal of ['SIGUSR1', 'usr1', '10']) {
      const id = await started(signalled);
      await containers.kill(id, { killSignal });
      await internal.awaitExit(id, { timeoutSeconds: 30 });
      expect(await containers.inspect(id)).toMatchObject({ status: 'exited', exitCode: 7 });
    }
  });

  proves(
    ['kill'],
    'killing a container that does not run is invalidState; an unknown signal is a backendFailure',
    async () => {
      const id = await created(obedient);
      expect(await failure(containers.kill(id))).toEqual({
        case: 'invalidState',
        id,
        expected: 'running',
        actual: 'created',
      });
      expect(await failure(containers.kill(id, { killSignal: 'SIGNONE' }))).toMatchObject({ case: 'backendFailure' });
    },
  );

  proves(['restart'], 'restart brings running, stopped and created containers to running, in a new run', async () => {
    const id = await started(obedient);
    const before = await containers.inspect(id);
    await containers.restart(id, { timeoutSeconds: 20 });
    const after = await containers.inspect(id);
    expect(after.status).toBe('running');
    expect(after.startedAt).not.toBe(before.startedAt);
    await containers.stop(id, { timeoutSeconds: 20 });
    await containers.restart(id);
    expect(await status(id)).toBe('running');
    const fresh = await created(obedient);
    await containers.restart(fresh);
    expect(await status(fresh)).toBe('running');
  });

  proves(['removeContainer'], 'remove deletes a stopped or exited container', async () => {
    const stopped = await started(obedient);
    await containers.stop(stopped, { timeoutSeconds: 20 });
    for (const id of [stopped, await ended(exitsWithThree)]) {
      await containers.remove(id);
      expect(await failure(containers.inspect(id))).toEqual({ case: 'notFound', id });
    }
  });

  proves(['removeContainer'], 'remove without force refuses created and running containers', async () => {
    const id = await created(obedient);
    const refusal = { case: 'invalidState', id, expected: 'stopped' };
    expect(await failure(containers.remove(id))).toEqual({ ...refusal, actual: 'created' });
    await containers.start(id);
    expect(await failure(containers.remove(id))).toEqual({ ...refusal, actual: 'running' });
  });

  proves(['removeContainer'], 'remove refuses a running container, even if the caller saw it stopped', async () => {
    const id = await started(obedient);
    const seen = { id, status: 'stopped' } as const;
    const refusal = { case: 'invalidState', id, expected: 'stopped', actual: 'running' };
    expect(await failure(containers.remove(id, { seen }))).toEqual(refusal);
  });

  proves(['start', 'stop'], 'actions with a status that the caller saw fail if the status has changed', async () => {
    const id = await created(obedient);
    await containers.start(id, { seen: await containers.inspect(id) });
    const seen = await containers.inspect(id);
    await containers.stop(id, { seen, timeoutSeconds: 20 });
    expect(await status(id)).toBe('stopped');
    expect(await failure(containers.start(id, { seen }))).toMatchObject({ case: 'invalidState', actual: 'running' });
  });

  proves(['removeContainer'], 'remove with force takes a container in any status', async () => {
    for (const id of [await created(obedient), await started(stubborn), await ended(exitsWithThree)]) {
      await containers.remove(id, { force: true });
      expect(await failure(containers.inspect(id))).toEqual({ case: 'notFound', id });
    }
  });

  proves(['awaitExit'], 'the end of a run is observed, with its code, before it and after it', async () => {
    const id = await started(obedient);
    const seen = internal.awaitExit(id, { timeoutSeconds: 30 });
    await containers.kill(id);
    expect(await seen).toMatchObject({ exitCode: 137 });
    expect(await internal.awaitExit(id)).toMatchObject({ exitCode: 137 });
  });

  proves(['awaitExit'], 'a run that does not end in time is a timeout', async () => {
    const id = await started(obedient);
    expect(await failure(internal.awaitExit(id, { timeoutSeconds: 1 }))).toEqual({ case: 'timeout', id, seconds: 1 });
  });

  if (backend.conformer === 'bridge') {
    bench.refuses(['wait'], 'wait is refused', async () => {
      const id = await created(obedient);
      expect(await failure(containers.wait(id))).toEqual({
        case: 'notSupported',
        operation: 'wait',
        conformer: 'bridge',
      });
    });
  } else {
    proves(['wait'], 'wait returns the exit code, or a timeout', async () => {
      expect(await containers.wait(await started(exitsWithThree))).toMatchObject({ exitCode: 3 });
      const id = await started(obedient);
      expect(await failure(containers.wait(id, { timeoutSeconds: 1 }))).toEqual({ case: 'timeout', id, seconds: 1 });
    });
  }

  proves(['listContainers'], 'the list has the containers that carry all the labels, oldest first', async () => {
    const labels = { 'plt.group': bench.fresh('group') };
    const first = await created(obedient, { labels: { ...labels, kind: 'a' } });
    const second = await started(obedient, { labels: { ...labels, kind: 'b' } });
    const both = await containers.list({ labels });
    expect(both.map(({ id, status: now }) => [id, now])).toEqual([
      [first, 'created'],
      [second, 'running'],
    ]);
    expect((await containers.list({ labels: { ...labels, kind: 'b' } })).map(({ id }) => id)).toEqual([second]);
    expect((await containers.list({ labels: { ...labels, kind: '' } })).map(({ id }) => id)).toEqual([first, second]);
  });

  proves(
    ['start', 'stop', 'kill', 'restart', 'removeContainer', 'inspectContainer', 'logs', 'exec', 'stats', 'top', 'port'],
    'a missing container is notFound',
    async () => {
      const operations = [
        containers.start(nobody),
        containers.stop(nobody),
        containers.kill(nobody),
        containers.restart(nobody),
        containers.remove(nobody),
        containers.remove(nobody, { force: true }),
        containers.inspect(nobody),
        containers.logs(nobody),
        containers.exec(nobody, { command: ['true'] }),
        containers.stats(nobody),
        containers.top(nobody),
        containers.port(nobody),
        internal.awaitExit(nobody),
        containers.inspect('--all'),
      ];
      const failures = await Promise.all(operations.map(failure));
      expect(failures.map((one) => one.case)).toEqual(operations.map(() => 'notFound'));
      expect(failures[0]).toEqual({ case: 'notFound', id: nobody });
    },
  );

  const { open } = bench;
  if (open !== undefined) {
    proves(['stop'], 'another process distinguishes stopped from exited containers', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'plt-marks-'));
      try {
        const one = open(durableStopMarks(directory));
        const id = await started(obedient);
        await one.containers.stop(id, { timeoutSeconds: 20 });
        const other = open(durableStopMarks(directory));
        expect((await other.containers.inspect(id)).status).toBe('stopped');
        await other.containers.start(id);
        await other.containers.kill(id);
        expect((await one.containers.inspect(id)).status).toBe('exited');
      } finally {
        await rm(directory, { recursive: true });
      }
    });

    proves(['stop'], 'a stop that cannot be recorded is refused', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'plt-marks-'));
      try {
        const blocked = join(directory, 'not-a-directory');
        await writeFile(blocked, '');
        const id = await started(obedient);
        const refused = await failure(open(durableStopMarks(blocked)).containers.stop(id));
        expect(refused.case).toBe('persistenceFailure');
        expect(JSON.stringify(refused)).not.toContain(directory);
        expect(await status(id)).toBe('running');
      } finally {
        await rm(directory, { recursive: true });
      }
    });
  }

  proves(['createContainer', 'start'], 'a restart policy restarts a failed process as often as specified', async () => {
    const id = await started(exitsWithThree, { restart: { name: 'on-failure', maximumRetries: 2 } });
    await eventually(async () => {
      const now = await containers.inspect(id);
      return now.status === 'exited' && now.restartCount === 2;
    });
    const restart = { name: 'on-failure', maximumRetries: 2 };
    expect(await containers.inspect(id)).toMatchObject({ status: 'exited', exitCode: 3, restartCount: 2, restart });
  });
}
