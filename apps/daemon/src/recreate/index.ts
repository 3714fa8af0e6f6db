/** Recreation of containers as a part of the agent. @see spec/containerrecreaterequest.md 5.3 */
import { containerRecreateRequests, eventSources, labels, type ContainerRecreateRequest } from '@kruise/api';
import { checkLabelValue, formatKey, milliseconds } from '@kruise/objects';
import type { DefineNodePart } from '../node-part.ts';
import { byPod, podKeyOfRequest, RecreateController } from './controller.ts';
import { createRecreateMetrics } from './metrics.ts';
import { RequestWriter } from './requests.ts';

const indexes = { [byPod]: (request: ContainerRecreateRequest): readonly string[] => [formatKey(podKeyOfRequest(request))] };

export const recreatePart: DefineNodePart = ({ nodeName, gates, runtimes, informers, clock, logger, registry, clientFor, recorderFor }) => {
  if (!gates.KruiseDaemon) return undefined;
  if (checkLabelValue(nodeName).length > 0) {
    // Requests name their node in a label, so there are none for this one.
    logger.warn({ node: nodeName }, 'Cannot recreate containers here: the name of the node does not fit into a label');
    return undefined;
  }
  const labelSelector = `${labels.recreateNodeName}=${nodeName},${labels.recreateActive}=true`;
  const requests = informers.informer(containerRecreateRequests, { labelSelector, indexes });
  const controller = new RecreateController({
    requests,
    writer: new RequestWriter(clientFor(eventSources.containerRecreate)),
    runtimes,
    clock,
    logger,
    events: recorderFor(eventSources.containerRecreate),
    metrics: createRecreateMetrics(registry),
  });
  return {
    controllers: [
      {
        definition: controller.definition(),
        retry: { baseDelay: milliseconds(500), maxDelay: milliseconds(50_000 + Math.random() * 5000) },
      },
    ],
    live: { crrInformerSynced: () => (requests.store.synced ? undefined : 'not synced') },
  };
};
