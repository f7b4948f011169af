/** Values known only when a container is about to be created. */
export interface CreationContext {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  /** Resolves `service:<name>` to a container id. */
  readonly containerOf: (service: string) => string;
  /** The replica's number, from 1. Selects its port from a range. */
  readonly number: number;
}

/** `service:<name>` means that service's container; other modes are passed to the engine. */
export function sharedNamespace(
  mode: string | undefined,
  containerOf: CreationContext['containerOf'],
): string | undefined {
  return mode?.startsWith('service:') === true ? `container:${containerOf(mode.slice('service:'.length))}` : mode;
}
