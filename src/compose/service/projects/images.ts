/** Builds and pulls a project's images. */
import type { BuildProjectHandler, PullProjectHandler } from '../../../../generated/compose/operations.js';
import { buildProject as buildImages, pullProject as pullImages } from '../../orchestrator/image-commands.js';
import type { ComposeDependencies } from '../dependencies.js';
import { answering } from '../failure-replies.js';
import { streamOf, streamSignal } from '../streams.js';
import { requireIngested } from './project-commands.js';
import { imageFrames } from './image-frames.js';
import { orchestrationOf } from './orchestration-of.js';

const ofLookingUp = [
  'OrchestratorError.projectNotFound',
  'OrchestratorError.serviceNotFound',
  'OrchestratorError.projectNotIngested',
] as const;

export const buildProject: BuildProjectHandler<ComposeDependencies> = ({ params, body = {}, context }, dependencies) =>
  answering(ofLookingUp, async () => {
    const { services = [], no_cache: noCache, pull } = body;
    const ingested = await requireIngested(params.name, services, context.signal, dependencies);
    const signal = streamSignal(context, dependencies);
    const release = dependencies.imageWork.take();
    const frames = imageFrames({ signal, release }, context, async (work) => {
      const { project, contents } = await dependencies.projects.load(ingested, { services });
      const orchestration = { ...orchestrationOf(context, dependencies).orchestration, ...work };
      return buildImages(orchestration, project, {
        contents,
        ...(noCache !== undefined && { noCache }),
        ...(pull !== undefined && { pull }),
      });
    });
    return { status: 200, body: streamOf(frames, (frame) => frame, signal, dependencies) };
  });

export const pullProject: PullProjectHandler<ComposeDependencies> = ({ params, body = {}, context }, dependencies) =>
  answering(ofLookingUp, async () => {
    const { services = [], ignore_failures: ignoreFailures = false } = body;
    const ingested = await requireIngested(params.name, services, context.signal, dependencies);
    const signal = streamSignal(context, dependencies);
    const release = dependencies.imageWork.take();
    const frames = imageFrames({ signal, release }, context, async (work) => {
      const { project } = await dependencies.projects.load(ingested, { services });
      const orchestration = { ...orchestrationOf(context, dependencies).orchestration, ...work };
      await pullImages(orchestration, project, { ignoreFailures });
      return Object.keys(project.services).sort();
    });
    return { status: 200, body: streamOf(frames, (frame) => frame, signal, dependencies) };
  });
