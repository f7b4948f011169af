/** The same for Podman's command and for its socket, so that both see each other's stops. */
export function podmanIdentity(hostname: string, storage: string): string {
  return `podman:${hostname}:${storage}`;
}
