/** Container meta as a part of the agent: the report, and the restarts that follow from it. @see spec/daemon.md 5.6 */
import { Trigger } from '@kruise/kube';
import { milliseconds, seconds } from '@kruise/objects';
import type { DefineNodePart } from '../node-part.ts';
import { ContainerMetaController } from './controller.ts';
import { createContainerMetaMetrics } from './metrics.ts';
import { Restarter, restartRequest } from './restarter.ts';

const component = 'kruise-daemon-containermeta';

export const containerMetaPart: DefineNodePart = ({ pods, runtimes, clock, logger, gates, registry, clientFor, recorderFor }) => {
  if (pods === undefined) return undefined;
  const metrics = createContainerMetaMetrics(registry);
  const restarts = new Trigger();
  const meta = new ContainerMetaController({
    pods,
    client: clientFor(component),
    runtimes,
    logger,
    metrics,
    withEnv: gates.InPlaceUpdateEnvFromMetadata,
    restart: (wanted) => {
      const request = restartRequest(wanted);
      if (request !== undefined) restarts.enqueue(request);
    },
  });
  const restarter = new Restarter({ pods: pods.store, runtimes, clock, logger, metrics, events: recorderFor(component) });
  return {
    controllers: [
      {
        definition: meta.definition(),
        retry: { baseDelay: milliseconds(500), maxDelay: milliseconds(50_000 + Math.random() * 5000) },
      },
      { definition: { ...restarter.definition(), watches: [restarts] }, retry: { baseDelay: seconds(3), maxDelay: seconds(600) } },
    ],
  };
};
