/** Converts mounts to arguments of `podman create`. */
import { notSupported } from '../errors.js';
import type { Mount } from '../spec.js';

export function mountArguments(mounts: readonly Mount[]): string[] {
  return mounts.map((mount) => {
    switch (mount.type) {
      case 'bind':
        return bindArgument(mount);
      case 'volume':
        return volumeArgument(mount);
      case 'tmpfs':
        return tmpfsArgument(mount);
      case 'image':
        return imageArgument(mount);
    }
  });
}

/**
 * Uses the long form, whose parts are separated by commas. A path with a comma uses the short form, separated by
 * colons.
 */
function bindArgument(mount: Extract<Mount, { type: 'bind' }>): string {
  if (`${mount.source}${mount.target}`.includes(',')) {
    const options = [mount.readOnly ? 'ro' : 'rw', mount.propagation, mount.selinux].filter((part) => part);
    return `--volume=${mount.source}:${mount.target}:${options.join(',')}`;
  }
  const parts = [
    'type=bind',
    `src=${mount.source}`,
    `dst=${mount.target}`,
    ...(mount.readOnly ? ['ro=true'] : []),
    ...(mount.propagation === undefined ? [] : [`bind-propagation=${mount.propagation}`]),
    ...(mount.selinux === undefined ? [] : [`relabel=${mount.selinux === 'z' ? 'shared' : 'private'}`]),
  ];
  return `--mount=${parts.join(',')}`;
}

/** @throws RuntimeError.notSupported for a target that podman would read as source and target */
function volumeArgument(mount: Extract<Mount, { type: 'volume' }>): string {
  if (mount.target.includes(':')) throw notSupported("a mount target with ':'", 'native');
  if (mount.subpath !== undefined && `${mount.target}${mount.subpath}${mount.source ?? ''}`.includes(',')) {
    throw notSupported("a mount target or subpath with ','", 'native');
  }
  if (mount.source === undefined) return `--volume=${mount.target}`;
  if (mount.subpath !== undefined) {
    const parts = ['type=volume', `src=${mount.source}`, `dst=${mount.target}`, `subpath=${mount.subpath}`];
    return `--mount=${[...parts, ...(mount.readOnly ? ['ro=true'] : [])].join(',')}`;
  }
  const options = [mount.readOnly ? 'ro' : 'rw', ...(mount.noCopy ? ['nocopy'] : [])];
  return `--volume=${mount.source}:${mount.target}:${options.join(',')}`;
}

function tmpfsArgument(mount: Extract<Mount, { type: 'tmpfs' }>): string {
  const options = [
    mount.readOnly ? 'ro' : 'rw',
    ...(mount.sizeBytes === undefined ? [] : [`size=${mount.sizeBytes}`]),
    `mode=${(mount.mode ?? 0o1777).toString(8)}`,
  ];
  return `--tmpfs=${mount.target}:${options.join(',')}`;
}

/** @throws RuntimeError.notSupported for a subpath, or what podman would read as several options */
function imageArgument({ source, target, subpath }: Extract<Mount, { type: 'image' }>): string {
  if (subpath !== undefined) throw notSupported('image.subpath of a mount', 'native');
  if (`${source}${target}`.includes(',')) throw notSupported("a mount target or image with ','", 'native');
  return `--mount=type=image,src=${source},dst=${target}`;
}
