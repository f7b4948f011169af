/** What is known only when a container is about to be made. */
export interface Circumstances {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  /** The id of the container that `service:<name>` stands for. */
  readonly containerOf: (service: string) => string;
  /** Counts the replicas from 1: which port of a range this one gets. */
  readonly number: number;
}

/** `service:<name>` is the container of that service; other modes are the engine's own. */
export function sharedNamespace(
  mode: string | undefined,
  containerOf: Circumstances['containerOf'],
): string | undefined {
  return mode?.startsWith('service:') === true ? `container:${containerOf(mode.slice('service:'.length))}` : mode;
}
