/** The REST service on real engines, as a program meets it: the SDK's client over a socket. */
import { onEngine } from './on-engine.js';
import { servedProject } from './served-project.js';

await onEngine('bridge/docker', [servedProject]);
await onEngine('native/podman', [servedProject]);
