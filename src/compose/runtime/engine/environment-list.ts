import type { ContainerSpec } from '../spec.js';

/** The environment as Docker reads it. A name without a value removes the variable of the image. */
export function environmentList({ environment = {}, unsetVariables = [] }: ContainerSpec): string[] {
  const unset = unsetVariables.filter((name) => !Object.hasOwn(environment, name));
  return [...Object.entries(environment).map(([name, value]) => `${name}=${value}`), ...unset];
}
