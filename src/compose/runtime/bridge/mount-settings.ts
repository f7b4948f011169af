import type Docker from 'dockerode';
import type { Mount } from '../spec.js';

/** The package's types do not have `Type: 'image'`, of Engine API 1.48. */
export interface MountSettings extends Omit<Docker.MountSettings, 'Type'> {
  readonly Type: Docker.MountType | 'image';
  readonly ImageOptions?: { readonly Subpath: string };
}

/** Mounts of the long form. Anonymous volumes and tmpfs mounts without a size limit go to `Volumes`. */
export function mountSettings(mount: Mount): MountSettings {
  switch (mount.type) {
    case 'bind':
      return {
        Type: 'bind',
        Source: mount.source,
        Target: mount.target,
        ReadOnly: mount.readOnly ?? false,
        ...(mount.propagation && { BindOptions: { Propagation: mount.propagation } }),
      };
    case 'volume':
      return {
        Type: 'volume',
        Source: mount.source ?? '',
        Target: mount.target,
        ReadOnly: mount.readOnly ?? false,
        ...((mount.noCopy || mount.subpath !== undefined) && {
          VolumeOptions: {
            NoCopy: mount.noCopy ?? false,
            Labels: {},
            DriverConfig: { Name: '', Options: {} },
            ...(mount.subpath !== undefined && { Subpath: mount.subpath }),
          },
        }),
      };
    case 'tmpfs':
      return {
        Type: 'tmpfs',
        Source: '',
        Target: mount.target,
        ReadOnly: mount.readOnly ?? false,
        TmpfsOptions: { SizeBytes: mount.sizeBytes ?? 0, Mode: mount.mode ?? 0o1777 },
      };
    case 'image':
      return {
        Type: 'image',
        Source: mount.source,
        Target: mount.target,
        ...(mount.subpath !== undefined && { ImageOptions: { Subpath: mount.subpath } }),
      };
  }
}
