/** The check that the engine manages a swarm. */
import { backendFailure } from '../errors.js';
import { objectOf, objectsOf, textOf } from '../json.js';
import type { EngineClient } from '../bridge/client.js';

/**
 * @param place the address, for messages
 * @returns the id of the engine's node
 * @throws RuntimeError.backendFailure that says what to do
 */
export async function requireManager(client: EngineClient, place: string): Promise<string> {
  const info = objectOf(await client.call({}, { method: 'GET', path: '/info' }));
  const swarm = objectOf(info.Swarm);
  const state = textOf(swarm.LocalNodeState);
  if (state === 'active' && swarm.ControlAvailable === true) return textOf(swarm.NodeID);
  if (state === 'active') {
    const managers = objectsOf(swarm.RemoteManagers).map(({ Addr }) => textOf(Addr).replace(/:\d+$/, ''));
    throw backendFailure(
      `The engine at ${place} is a worker of its swarm, and only managers accept commands. Name the engine of a ` +
        `manager with --context or DOCKER_HOST${managers.length === 0 ? '' : ` (managers: ${managers.join(', ')})`}.`,
    );
  }
  if (state === 'locked') {
    throw backendFailure(`The swarm of the engine at ${place} is locked. Run 'docker swarm unlock' there.`);
  }
  if (state === 'pending' || state === 'error') {
    const reason = textOf(swarm.Error);
    throw backendFailure(
      `The engine at ${place} has not joined its swarm${reason === '' ? '' : ` (${reason})`}. Wait, or see 'docker info'.`,
    );
  }
  throw backendFailure(
    `The engine at ${place} is not in swarm mode. Run 'docker swarm init' there, or name a manager of a swarm with ` +
      '--context or DOCKER_HOST.',
  );
}
