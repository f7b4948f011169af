import { restartProject, scaleService, startContainer, stopProject } from '@plumbline/sdk/compose';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { announce } from '../ui/toasts.js';
import { ActionFailed } from './action-failed.js';
import { refresh, type Container, type Service } from './queries.js';
import { ask, compose, withKey } from './session.js';

/** A service: the state of its containers, and what can be done with it. */
export function ServiceRow({ service }: { service: Service }): JSX.Element {
  const { project, name, image, replicas, containers } = service;
  const [wanted, setWanted] = useState<number | null>(null);
  const running = containers.filter(({ status }) => status === 'running');
  const startable = containers.filter(({ status }) => status !== 'running' && status !== 'stopping');
  const acting = useMutation({
    mutationFn: ({ act }: { act: () => Promise<unknown>; done: string }) => act(),
    onSuccess: (_result, { done }) => {
      setWanted(null);
      announce(done);
    },
    onSettled: refresh,
  });
  const button = (label: string, done: string, act: () => Promise<unknown>): JSX.Element => (
    <button
      type="button"
      aria-label={`${label} ${name}`}
      aria-disabled={acting.isPending}
      onClick={() => {
        if (!acting.isPending) acting.mutate({ act, done });
      }}
    >
      {label}
    </button>
  );
  const params = { project, service: name };
  const count = wanted ?? containers.length;
  return (
    <li class="service">
      <div class="grow stack tight">
        <h3>{name}</h3>
        <p class="tags">
          <States service={service} />
        </p>
        <p class="small muted break">
          {image ?? containers[0]?.image ?? 'Image not known'}
          {portsOf(containers).map((port) => (
            <span key={port}> · {port}</span>
          ))}
        </p>
      </div>
      <div class="actions">
        {replicas !== null && (
          <form
            class="scale"
            onSubmit={(event) => {
              event.preventDefault();
              const done = `${name} has ${count} ${count === 1 ? 'container' : 'containers'}.`;
              const act = (): Promise<unknown> =>
                ask(
                  scaleService(compose, {
                    ...withKey(),
                    params: { name: params.project, service: params.service },
                    body: { replicas: count },
                  }),
                );
              if (!acting.isPending) acting.mutate({ act, done });
            }}
          >
            <input
              type="number"
              min={0}
              max={1000}
              required
              aria-label={`Replicas of ${name}`}
              value={count}
              onInput={(event) => {
                setWanted(event.currentTarget.valueAsNumber);
              }}
            />
            <button type="submit" aria-label={`Scale ${name}`} aria-disabled={acting.isPending}>
              Scale
            </button>
          </form>
        )}
        {running.length > 0 &&
          button('Restart', `${name} has restarted.`, () =>
            ask(restartProject(compose, { ...withKey(), params: { name: project }, body: { services: [name] } })),
          )}
        {running.length > 0 &&
          button('Stop', `${name} has stopped.`, () =>
            ask(stopProject(compose, { ...withKey(), params: { name: project }, body: { services: [name] } })),
          )}
        {startable.length > 0 &&
          button('Start', `${name} has started.`, () =>
            Promise.all(startable.map(({ id }) => ask(startContainer(compose, { ...withKey(), params: { id } })))),
          )}
      </div>
      <div class="wide">
        <ActionFailed mutation={acting} />
      </div>
    </li>
  );
}

/** How many containers are in which state, and their health. */
function States({ service: { containers, replicas } }: { service: Service }): JSX.Element {
  if (containers.length === 0) return <span class="tag">not created</span>;
  const states = counted(containers.map(stateOf));
  const health = counted(containers.flatMap(({ health: known }) => (known === null ? [] : [known.status])));
  const running = containers.filter(({ status }) => status === 'running').length;
  return (
    <>
      {states.map(([state, count]) => (
        <span key={state} class={`tag ${toneOf(state)}`}>
          {count > 1 ? `${count} ${state}` : state}
        </span>
      ))}
      {health
        .filter(([state]) => state !== 'none')
        .map(([state, count]) => (
          <span key={state} class={`tag ${healthTones[state] ?? ''}`}>
            {count > 1 ? `${count} ${state}` : state}
          </span>
        ))}
      {replicas !== null && replicas !== running && (
        <span class="small muted">
          {running} of {replicas} replicas
        </span>
      )}
    </>
  );
}

const healthTones: Readonly<Record<string, string>> = { healthy: 'good', unhealthy: 'bad', starting: 'warn' };

function stateOf({ status, exit_code: code }: Container): string {
  return status === 'exited' && code !== null ? `exited (${code})` : status;
}

function toneOf(state: string): string {
  if (state === 'running') return 'good';
  return state.startsWith('exited') && state !== 'exited (0)' ? 'bad' : '';
}

function counted(values: readonly string[]): [string, number][] {
  return [...new Set(values)].map((value) => [value, values.filter((other) => other === value).length]);
}

/** Published ports, as `127.0.0.1:8080 → 80/tcp`. */
function portsOf(containers: readonly Container[]): string[] {
  const ports = containers.flatMap((container) => container.ports);
  return [
    ...new Set(
      ports.map(
        ({ host_address: address, host_port: host, container_port: inside, protocol }) =>
          `${address}:${host} → ${inside}/${protocol}`,
      ),
    ),
  ];
}
