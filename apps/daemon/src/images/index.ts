/** Image pulling as a part of the agent. @see spec/daemon.md 5.2, 5.3 */
import { nodeImages } from '@kruise/api';
import { Trigger } from '@kruise/kube';
import { milliseconds } from '@kruise/objects';
import { FairSlots } from '@kruise/process';
import type { DefineNodePart, NodeDependencies } from '../node-part.ts';
import { ImageController } from './controller.ts';
import { DockerConfigFiles } from './credentials/docker-config-files.ts';
import { loadPlugins, PullCredentials } from './credentials/pull-credentials.ts';
import { PullSecrets } from './credentials/pull-secrets.ts';
import { recordFailed, recordPulled } from './events.ts';
import { taskName, type ImageTask } from './task/image-task.ts';
import type { PullResult, WorkerTools } from './image-worker.ts';
import { ImageWorkers } from './image-workers.ts';
import { createImageMetrics } from './metrics.ts';

const component = 'kruise-daemon-imagepuller';

export const imagesPart: DefineNodePart = (dependencies) => {
  const { nodeName, flags, clock, logger, registry, runtimes, informers, clientFor, recorderFor } = dependencies;
  const key = { namespace: '', name: nodeName };
  const nodeImage = informers.informer(nodeImages, { fieldSelector: `metadata.name=${nodeName}` });
  const client = clientFor(component);
  const credentials = new PullCredentials(new PullSecrets({ client, clock, logger }), providersOf(dependencies));
  const metrics = createImageMetrics(registry, () => workers.all.values());
  const events = recorderFor(component);
  const news = new Trigger();
  const ended = (task: ImageTask, result: PullResult): void => {
    metrics.ended(result.kind === 'Succeeded' ? 'success' : 'error', result.elapsed);
    const fields = { image: taskName(task), version: task.version, elapsedMs: result.elapsed };
    const target = nodeImage.store.get(key);
    if (result.kind === 'Succeeded') {
      logger.info(fields, 'Pulled an image');
      if (target !== undefined) recordPulled(events, target, task, result.elapsed);
    } else {
      logger.error({ ...fields, because: result.message }, 'Failed to pull an image');
      if (target !== undefined) recordFailed(events, target, task, result.message);
    }
  };
  const tools: WorkerTools = {
    clock,
    runtimes,
    credentials,
    slots: new FairSlots(flags['max-workers-for-pull-image']),
    changed: () => news.enqueue({ key, after: controller.collectFor() }),
    ended,
    failedTry: (task, message) => {
      metrics.failedTry();
      logger.warn({ image: taskName(task), because: message }, 'Failed to pull an image, retrying');
    },
  };
  const workers = new ImageWorkers(tools);
  const controller = new ImageController({ nodeImage, client, workers, credentials, clock, metrics, news });
  return {
    controllers: [
      {
        definition: controller.definition(),
        retry: { baseDelay: milliseconds(500), maxDelay: milliseconds(50_000 + Math.random() * 5000) },
      },
    ],
    live: { nodeImageInformerSynced: () => (nodeImage.store.synced ? undefined : 'not synced') },
    run: (signal) => workers.run(signal),
  };
};

/** Returns the providers in the order of their names: the content of the daemon's own files is called `.dockercfg`. */
function providersOf({ flags, clock, logger }: NodeDependencies) {
  const plugins = loadPlugins(flags['plugin-config-file'], { folder: flags['plugin-bin-dir'], clock, logger });
  return [new DockerConfigFiles({ clock, logger }), ...plugins];
}
