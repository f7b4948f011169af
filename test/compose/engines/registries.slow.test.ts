/** Images of registries on bridge/docker. */
import { onEngine } from './on-engine.js';
import { registries } from './registries.js';

await onEngine('bridge/docker', [registries]);
