/** Probes of Pods as a part of the agent. @see spec/podprobemarker.md 5.3 */
import { eventSources, nodePodProbes } from '@kruise/api';
import { Trigger } from '@kruise/kube';
import { milliseconds, seconds } from '@kruise/objects';
import type { DefineNodePart } from '../node-part.ts';
import { ProbeController } from './controller.ts';
import { ProbeTurns } from './probe-turns.ts';
import { ProbeWorkers } from './probe-workers.ts';

/** With the Pods of the node, a probed Pod must be one of them; without (gate DaemonWatchingPod) the runtime's sandboxes decide. */
export const probesPart: DefineNodePart = ({ nodeName, gates, pods, runtimes, informers, clock, logger, clientFor, recorderFor }) => {
  if (!gates.PodProbeMarkerGate) return undefined;
  const lists = informers.informer(nodePodProbes, { fieldSelector: `metadata.name=${nodeName}` });
  const results = new Trigger();
  const workers = new ProbeWorkers({
    runtimes,
    pods: pods?.store,
    clock,
    logger,
    random: Math.random,
    startedAt: clock.monotonic(),
    turns: new ProbeTurns(clock, (namespace, waitedMs) =>
      logger.warn({ namespace, waitedMs }, 'Running probes less often than their periods: this node has more runs than it may start'),
    ),
    onResult: () => results.enqueue({ key: { namespace: '', name: nodeName }, after: controller.collectFor() }),
  });
  const controller = new ProbeController({
    nodeName,
    lists,
    pods: pods?.store,
    workers,
    results,
    client: clientFor(eventSources.podProbe),
    events: recorderFor(eventSources.podProbe),
    clock,
  });
  return {
    controllers: controller
      .definitions()
      .map((definition) => ({ definition, retry: { baseDelay: milliseconds(500), maxDelay: seconds(50) } })),
    live: { nodePodProbeInformerSynced: () => (lists.store.synced ? undefined : 'not synced') },
  };
};
