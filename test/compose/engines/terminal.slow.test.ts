/** Commands on a pseudo-terminal, on every engine. */
import { onEngine } from './on-engine.js';
import { progressViews } from './progress-views.js';
import { terminals } from './terminals.js';

await onEngine('bridge/docker', [terminals, progressViews]);
await onEngine('bridge/podman', [terminals, progressViews]);
await onEngine('native/podman', [terminals, progressViews]);
