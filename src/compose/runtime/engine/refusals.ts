/** The operations that production backends refuse, as the compose error catalogue specifies. */
import { notSupported, type Conformer } from '../errors.js';
import type { ContainerOperations, NetworkOperations, SecretOperations } from '../runtime.js';

export function refusedWait(conformer: Conformer): ContainerOperations['wait'] {
  return () => Promise.reject(notSupported('wait', conformer));
}

export function refusedNetworks(conformer: Conformer): NetworkOperations {
  const refuse = (operation: string) => () => Promise.reject(notSupported(operation, conformer));
  return {
    create: refuse('createNetwork'),
    list: refuse('listNetworks'),
    inspect: refuse('inspectNetwork'),
    remove: refuse('removeNetwork'),
  };
}

export function refusedSecrets(conformer: Conformer): SecretOperations {
  const refuse = (operation: string) => () => Promise.reject(notSupported(operation, conformer));
  return {
    create: refuse('createSecret'),
    list: refuse('listSecrets'),
    inspect: refuse('inspectSecret'),
    remove: refuse('removeSecret'),
  };
}
