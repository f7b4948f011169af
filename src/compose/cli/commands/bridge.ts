/** `bridge convert`: writes the project as Kubernetes objects. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { loadProject } from '../../model/loader/load.js';
import { convertToKubernetes } from '../../kubernetes/convert.js';
import type { Manifest } from '../../kubernetes/manifests.js';
import { define } from '../command.js';
import type { Io } from '../io.js';

export function bridgeCommand(compose: Command, io: Io): void {
  const bridge = compose.command('bridge').description('convert the project for another platform');
  define<{ output?: string }>(bridge, io, {
    usage: 'convert',
    description: 'print the project as Kubernetes objects, and on standard error what they lack',
    remote: 'here',
    options: (command) => command.option('-o, --output <directory>', 'write a file per object to a directory'),
    examples: ['compose bridge convert | kubectl apply -f -', 'compose bridge convert -o kubernetes'],
    run: async (session, _args, { output }) => {
      const { project, contents, warnings } = await loadProject(session.loadOptions());
      const { manifests, notes } = await convertToKubernetes(project, contents);
      // What engines do not support is not what a cluster does not.
      await session.warn(warnings.filter(({ code }) => code !== 'unsupportedKey'));
      await session.warn(
        notes.map(({ path: where, text }) => ({ code: 'unsupportedKey', message: `${where} ${text}.` })),
      );
      if (output === undefined) await session.print(manifests.map(documentOf).join(''));
      else if (!session.isDryRun) await save(path.resolve(io.workingDirectory, output), manifests);
      return 0;
    },
  });
}

function documentOf(manifest: Manifest): string {
  // YAML 1.1 is what Kubernetes reads: there, "yes" and "0o17" without quotes are not strings.
  return `---\n${stringify(manifest, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })}`;
}

/** Only the owner may read the files, because there may be secrets among them. */
async function save(directory: string, manifests: readonly Manifest[]): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const manifest of manifests) {
    const file = `${manifest.metadata.name}-${manifest.kind.toLowerCase()}.yaml`;
    await writeFile(path.join(directory, file), documentOf(manifest), { mode: 0o600 });
  }
}
