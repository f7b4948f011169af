/** Projects on bridge/podman. */
import { conflicts } from './conflicts.js';
import { hurts } from './hurts.js';
import { interruptions } from './interruptions.js';
import { onEngine } from './on-engine.js';

await onEngine('bridge/podman', [hurts, conflicts, interruptions]);
