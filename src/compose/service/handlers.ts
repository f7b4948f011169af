/** Maps every operation of the contract to its handler. */
import type { ComposeHandlers } from '../../../generated/compose/operations.js';
import * as containers from './containers/containers.js';
import { execInContainer } from './containers/exec.js';
import * as lifecycle from './containers/lifecycle.js';
import * as output from './containers/output.js';
import type { ComposeDependencies } from './dependencies.js';
import * as images from './images/images.js';
import * as networks from './networks/networks.js';
import * as projectCommands from './projects/project-commands.js';
import * as page from './page/page.js';
import * as projectImages from './projects/images.js';
import { streamProjectLogs, watchProjectLogs } from './projects/logs.js';
import { writeProjectFiles } from './projects/files.js';
import * as projects from './projects/projects.js';
import * as secrets from './secrets/secrets.js';
import { streamEvents, watchEvents } from './system/events.js';
import * as system from './system/system.js';
import * as volumes from './volumes/volumes.js';

export const composeHandlers: ComposeHandlers<ComposeDependencies> = {
  ping: system.ping,
  getVersion: system.getVersion,
  getInfo: system.getInfo,
  getMetrics: system.getMetrics,
  streamEvents,
  watchEvents,
  listContainers: containers.listContainers,
  createContainer: containers.createContainer,
  inspectContainer: containers.inspectContainer,
  removeContainer: containers.removeContainer,
  startContainer: lifecycle.startContainer,
  stopContainer: lifecycle.stopContainer,
  restartContainer: lifecycle.restartContainer,
  killContainer: lifecycle.killContainer,
  pauseContainer: lifecycle.pauseContainer,
  unpauseContainer: lifecycle.unpauseContainer,
  waitForContainer: lifecycle.waitForContainer,
  getContainerLogs: output.getContainerLogs,
  watchContainerLogs: output.watchContainerLogs,
  getContainerStats: output.getContainerStats,
  listContainerStats: output.listContainerStats,
  execInContainer,
  listContainerProcesses: output.listContainerProcesses,
  listImages: images.listImages,
  pullImage: images.pullImage,
  listNetworks: networks.listNetworks,
  createNetwork: networks.createNetwork,
  inspectNetwork: networks.inspectNetwork,
  removeNetwork: networks.removeNetwork,
  listVolumes: volumes.listVolumes,
  createVolume: volumes.createVolume,
  inspectVolume: volumes.inspectVolume,
  removeVolume: volumes.removeVolume,
  listSecrets: secrets.listSecrets,
  createSecret: secrets.createSecret,
  inspectSecret: secrets.inspectSecret,
  removeSecret: secrets.removeSecret,
  listProjects: projects.listProjects,
  ingestProject: projects.ingestProject,
  getProject: projects.getProject,
  deleteProject: projects.deleteProject,
  writeProjectFiles,
  listProjectServices: projects.listProjectServices,
  upProject: projectCommands.upProject,
  downProject: projectCommands.downProject,
  stopProject: projectCommands.stopProject,
  restartProject: projectCommands.restartProject,
  streamProjectLogs,
  watchProjectLogs,
  scaleService: projectCommands.scaleService,
  buildProject: projectImages.buildProject,
  pullProject: projectImages.pullProject,
  createPageLink: page.createPageLink,
  startPageSession: page.startPageSession,
  endPageSession: page.endPageSession,
};
