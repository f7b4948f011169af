/** Projects on native/podman. */
import { conflicts } from './conflicts.js';
import { hurts } from './hurts.js';
import { interruptions } from './interruptions.js';
import { onEngine } from './on-engine.js';

await onEngine('native/podman', [hurts, conflicts, interruptions]);
